/// The scripts that give a page the bridge it knows from WKWebView.
///
/// WebKitGTK does not tell which frame a message comes from. So the native handler is registered in
/// a world of its own that pages cannot reach, and two scripts are put into main frames only: one in
/// the page's world, which offers `window.webkit.messageHandlers.wvbIos`, and a relay in the other
/// world, which adds the location as the engine says it (a page cannot forge that). They speak by
/// events whose details are texts, because objects do not cross worlds.
enum BridgeScripts {
    static func page(handler: String) -> String {
        """
        (() => {
          const waiting = new Map();
          let last = 0;
          const post = (message) => new Promise((resolve, reject) => {
            const id = ++last;
            waiting.set(id, { resolve, reject });
            window.dispatchEvent(new CustomEvent("openpatch:call",
              { detail: JSON.stringify({ id, message }) }));
          });
          window.addEventListener("openpatch:reply", (event) => {
            const reply = JSON.parse(event.detail);
            const call = waiting.get(reply.id);
            if (!call) return;
            waiting.delete(reply.id);
            if (reply.error === undefined) return call.resolve(reply.result);
            const failure = new Error(reply.error.message);
            failure.code = reply.error.code;
            call.reject(failure);
          });
          const handlers = Object.freeze({ \(handler): Object.freeze({ postMessage: post }) });
          Object.defineProperty(window, "webkit",
            { value: Object.freeze({ messageHandlers: handlers }), configurable: true });
        })();
        """
    }

    static func relay(handler: String) -> String {
        """
        (() => {
          const native = window.webkit.messageHandlers.\(handler);
          window.addEventListener("openpatch:call", async (event) => {
            if (typeof event.detail !== "string") return;
            let call;
            try { call = JSON.parse(event.detail); } catch { return; }
            const reply = { id: call.id };
            try {
              const text = await native.postMessage(
                JSON.stringify({ url: location.href, message: call.message }));
              reply.result = JSON.parse(text);
            } catch (failure) {
              try { reply.error = JSON.parse(failure.message ?? failure); }
              catch { reply.error = { code: "failed", message: String(failure) }; }
            }
            window.dispatchEvent(new CustomEvent("openpatch:reply",
              { detail: JSON.stringify(reply) }));
          });
        })();
        """
    }
}
