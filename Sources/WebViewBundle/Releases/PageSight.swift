/// Looks whether a page shows anything. The script runs in a world of its own, where the page cannot
/// change what it finds; it counts what has an area inside the window: text, pictures, forms.
public enum PageSight {
    /// Evaluates to `true` when something is to be seen.
    public static let script = """
        (() => {
          const root = document.body;
          if (!root) return false;
          const width = innerWidth, height = innerHeight;
          const inside = (box) => box.width > 0 && box.height > 0 && box.right > 0
            && box.bottom > 0 && box.left < width && box.top < height;
          const shown = (element) => {
            for (let at = element; at; at = at.parentElement) {
              const style = getComputedStyle(at);
              if (style.display === "none" || Number(style.opacity) === 0) return false;
              if (at === element && style.visibility !== "visible") return false;
            }
            return true;
          };
          const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
          const range = document.createRange();
          for (let seen = 0; seen < 20000 && walker.nextNode(); seen++) {
            const node = walker.currentNode;
            if (!node.nodeValue.trim()) continue;
            const parent = node.parentElement;
            if (!parent || /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|TITLE)$/.test(parent.tagName)) continue;
            range.selectNodeContents(node);
            if ([...range.getClientRects()].some(inside) && shown(parent)) return true;
          }
          const parts = root.querySelectorAll(
            "img,svg,canvas,video,input,button,select,textarea,iframe,object,embed");
          for (const part of [...parts].slice(0, 5000)) {
            if (part.tagName === "IMG" && !part.naturalWidth) continue;
            if (inside(part.getBoundingClientRect()) && shown(part)) return true;
          }
          const deep = [...root.querySelectorAll("*")].slice(0, 5000);
          return deep.some((part) => {
            const style = getComputedStyle(part);
            return (part.shadowRoot || style.backgroundImage !== "none")
              && inside(part.getBoundingClientRect()) && shown(part);
          });
        })()
        """
}
