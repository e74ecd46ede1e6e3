extension PreviewPage {
    /// The page's script: shows what the server draws, sends what the user does, and changes only
    /// those elements that differ, so that focus, scroll positions and half-typed text stay.
    static let script = """
        'use strict';
        const $ = id => document.getElementById(id);
        const screen = $('screen');
        let view = null, generation = -1, native = 'off', queue = [], busy = false, sizes = [
          .82, .88, .94, 1, 1.12, 1.24, 1.35, 1.65, 1.94, 2.35, 2.76, 3.12];

        const ask = async (path, body) => (await fetch(path, {
          method: 'POST', headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ view, tree: !$('tree').hidden, native: pressed('native'),
            locale: $('locale').value, ...body }) })).json();

        // --- the page follows the tree ---
        function morph(from, to) {
          if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
            from.replaceWith(to);
            return;
          }
          if (from.nodeType === Node.TEXT_NODE) {
            if (from.data !== to.data) from.data = to.data;
            return;
          }
          for (const { name } of [...from.attributes])
            if (!to.hasAttribute(name)) from.removeAttribute(name);
          for (const { name, value } of [...to.attributes])
            if (from.getAttribute(name) !== value) from.setAttribute(name, value);
          if (from.nodeName === 'INPUT' || from.nodeName === 'TEXTAREA') {
            const pending = queue.some(e => e.token === from.dataset.input);
            if (from.type === 'checkbox') from.checked = to.hasAttribute('checked');
            else if (!pending) {
              const value = from.nodeName === 'INPUT' ? to.getAttribute('value') ?? '' : to.value;
              if (from.value !== value) from.value = value;
            }
            if (from.nodeName === 'TEXTAREA') return;
          }
          const keyed = new Map();
          for (const child of from.children) if (child.dataset.key) keyed.set(child.dataset.key, child);
          let at = from.firstChild;
          for (let child of [...to.childNodes]) {
            const key = child.nodeType === 1 ? child.dataset.key : undefined;
            const same = key === undefined ? null : keyed.get(key);
            if (same && same !== at) { from.insertBefore(same, at); at = same; }
            if (!at || (key !== undefined && !same)
                || (key === undefined && at.nodeType === 1 && at.dataset.key && child.nodeType === 1)) {
              from.insertBefore(child, at);
            } else {
              const next = at.nextSibling;
              morph(at, child);
              at = next;
            }
          }
          while (at) { const next = at.nextSibling; at.remove(); at = next; }
        }

        function paint(answer, begun) {
          if (answer.fault) { fail(answer.fault); return; }
          const isDark = answer.scheme ? answer.scheme === 'dark' : pressed('dark');
          const draw = (at, bar, html) => {
            const next = at.cloneNode(false);
            next.innerHTML = html;
            next.classList.toggle('dark', isDark);
            morph(at, next);
            bar.classList.toggle('light', isDark);
          };
          draw(screen, $('status-bar'), answer.html);
          if (answer.native) {
            const { html, isSame, fault } = answer.native;
            draw($('native-screen'), $('native-bar'), html);
            $('same').textContent = fault ? 'not shown' : isSame ? 'the same' : 'differs';
            $('same').className = fault || !isSame ? 'no' : 'yes';
            $('same').title = fault ?? '';
          }
          if (answer.tree) inspect(answer.tree);
          watchRows();
          followFocus();
          const ms = (performance.now() - begun).toFixed(1);
          $('figures').textContent = `guest ${(answer.guestMicroseconds / 1000).toFixed(2)} ms · `
            + `tree ${answer.treeBytes} bytes · on screen after ${ms} ms`;
          $('figures').dataset.milliseconds = ms;
          $('figures').dataset.guest = (answer.guestMicroseconds / 1000).toFixed(3);
          $('figures').dataset.painted = (+($('figures').dataset.painted || 0) + 1).toString();
        }

        const pressed = id => $(id).getAttribute('aria-pressed') === 'true';
        const surroundings = () => ({ dark: pressed('dark'), rightToLeft: pressed('rtl'),
          typeSize: +$('size').value });

        // One question at a time: an answer that is late would be painted over a newer one.
        let turn = Promise.resolve();
        function inTurn(work) {
          const done = turn.then(work);
          turn = done.catch(() => { /* Whoever asked hears of it. */ });
          return done;
        }

        async function show(restart = false) {
          if (view === null) return;
          for (const at of [screen, $('native-screen')]) {
            at.classList.toggle('rtl', pressed('rtl'));
            at.style.setProperty('--type-scale', sizes[+$('size').value]);
          }
          await inTurn(async () => {
            const begun = performance.now(), shown = view;
            const answer = await ask('/show', { restart, ...surroundings() });
            if (shown === view) paint(answer, begun);
          });
        }

        // Events go in their order; those that come while one is on its way go together.
        function send(...events) {
          queue.push(...events.map(event => ({ ...event, of: view })));
          if (!busy) flush();
        }
        async function flush() {
          busy = true;
          try {
            while (queue.length) {
              const shown = queue[0].of, events = queue.filter(event => event.of === shown);
              queue = queue.filter(event => event.of !== shown);
              await inTurn(async () => {
                const begun = performance.now();
                const answer = await ask('/events', { events, view: shown });
                if (shown === view) paint(answer, begun);
              });
            }
          } finally { busy = false; }
        }

        // --- what the user does ---
        // On either device: both views are told, for their tokens are the same.
        for (const at of [screen, $('native-screen')]) attend(at);
        function attend(screen) {
          screen.addEventListener('click', event => {
            const menu = event.target.closest('[data-menu]');
            for (const other of screen.querySelectorAll('.open'))
              if (!menu || other !== menu.parentElement) other.classList.remove('open');
            if (menu) { open(menu.parentElement, screen); return; }
            const at = event.target.closest(
              '[data-tap], [data-select], input, select, textarea, a, label');
            if (!at || at.closest('[inert]')) return;
            if (at.dataset.select) {
              send({ token: at.dataset.select, integer: at.dataset.value });
            } else if (at.dataset.tap) {
              const tap = { token: at.dataset.tap };
              if (at.dataset.payload) tap.bool = at.dataset.payload === 'true';
              if (at.dataset.index) tap.integer = at.dataset.index;
              const events = [tap];
              if (at.dataset.dismiss) events.push({ token: at.dataset.dismiss, bool: false });
              send(...events);
            }
          });
          screen.addEventListener('contextmenu', event => {
            const context = event.target.closest('.context');
            if (context) { event.preventDefault(); open(context, screen); }
          });
          screen.addEventListener('input', event => {
            const at = event.target;
            if (at.dataset.input) send({ token: at.dataset.input, string: at.value });
            if (at.dataset.slide) {
              at.style.setProperty('--share', (at.value - at.min) / (at.max - at.min) * 100 + '%');
              send({ token: at.dataset.slide, number: +at.value });
            }
          });
          screen.addEventListener('change', event => {
            const at = event.target;
            if (at.dataset.toggle) send({ token: at.dataset.toggle, bool: at.checked });
            if (at.dataset.choose) send({ token: at.dataset.choose, integer: at.value });
          });
          screen.addEventListener('keydown', event => {
            if (event.key !== 'Enter') return;
            const at = event.target.closest('[data-submit]');
            if (at && event.target.nodeName === 'INPUT') send({ token: at.dataset.submit });
          });
        }

        // A menu lies over everything, inside of its device.
        function open(holder, device) {
          if (!holder.classList.toggle('open')) return;
          const items = holder.querySelector(':scope > .menu-items');
          if (!items) return;
          Object.assign(items.style, { position: 'fixed', inset: '0 auto auto 0', margin: 0 });
          const zero = items.getBoundingClientRect(), at = holder.getBoundingClientRect();
          const room = device.getBoundingClientRect();
          const left = Math.min(Math.max(at.right - zero.width, room.left + 12),
            room.right - zero.width - 12);
          const top = at.bottom + zero.height > room.bottom - 24
            ? at.top - zero.height - 6 : at.bottom + 6;
          items.style.left = `${left - zero.left}px`;
          items.style.top = `${top - zero.top}px`;
        }

        // --- focus and keys ---
        // The guest wishes for the focus by its tree; what the browser does goes back as events.
        function followFocus() {
          const wished = screen.querySelector('[data-focused]');
          const now = document.activeElement?.closest('[data-focus]');
          // What the person did is still on its way.
          if (now && queue.some(event => event.token === now.dataset.focus)) return;
          if (wished && wished !== now)
            (wished.matches('input, textarea') ? wished : wished.querySelector('input, textarea, '
              + 'button, [tabindex]') ?? wished).focus({ preventScroll: true });
          else if (!wished && now) document.activeElement.blur();
        }
        for (const [name, isFocused] of [['focusin', true], ['focusout', false]])
          screen.addEventListener(name, event => {
            const at = event.target.closest('[data-focus]');
            if (at && at.hasAttribute('data-focused') !== isFocused)
              send({ token: at.dataset.focus, bool: isFocused });
          });
        document.addEventListener('keydown', event => {
          const name = { ' ': 'Space' }[event.key]
            ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
          const keys = [event.ctrlKey && 'Control', event.altKey && 'Alt',
            event.shiftKey && 'Shift', event.metaKey && 'Meta', name].filter(Boolean).join('+');
          // What a person types into a field is no shortcut.
          if (keys === name && event.target.matches('input, textarea')) return;
          const at = screen.querySelector(`[aria-keyshortcuts="${CSS.escape(keys)}"]`);
          if (!at || at.closest('[inert]')) return;
          event.preventDefault();
          (at.matches('[data-tap]') ? at : at.querySelector('[data-tap]'))?.click();
        });

        // --- rows of long lists ---
        const sight = new IntersectionObserver(entries => {
          for (const { isIntersecting, target } of entries) if (isIntersecting) more(target);
        }, { rootMargin: '400px' });
        function watchRows() {
          for (const rest of screen.querySelectorAll('.rest')) {
            rest.style.setProperty('--rows', rest.dataset.count - rest.dataset.from);
            sight.observe(rest);
          }
        }
        async function more(rest) {
          if (rest.dataset.asked) return;
          rest.dataset.asked = 'yes';
          const from = +rest.dataset.from, count = Math.min(50, rest.dataset.count - from);
          const answer = await ask('/rows', { token: rest.dataset.rows, from, count });
          if (!rest.isConnected) return;
          rest.insertAdjacentHTML('beforebegin', answer.html);
          sight.unobserve(rest);
          if (from + count >= rest.dataset.count) { rest.remove(); return; }
          rest.dataset.from = from + count;
          delete rest.dataset.asked;
          watchRows();
        }

        // --- the inspector ---
        function inspect(nodes) {
          const line = node => {
            const item = document.createElement('details');
            item.open = true;
            const head = document.createElement('summary');
            head.textContent = node.name + ' ';
            const argument = document.createElement('span');
            argument.className = 'arg';
            argument.textContent = node.detail;
            head.append(argument);
            item.append(head);
            for (const text of node.modifiers) {
              const modifier = document.createElement('div');
              modifier.className = 'mod';
              modifier.textContent = text;
              item.append(modifier);
            }
            item.append(...node.children.map(line));
            return item;
          };
          $('tree').replaceChildren(...nodes.map(line));
        }

        // --- the list of views, and builds ---
        function fail(text) {
          $('failure').hidden = !text;
          $('failure').textContent = text ?? '';
        }
        async function follow() {
          try {
            const status = await (await fetch('/status')).json();
            if (status.generation !== generation) {
              generation = status.generation;
              document.body.dataset.generation = generation;
              list(status.views);
              languages(status.locales);
              fail(status.failure);
              if (!status.failure) await show();
            } else if (pressed('native') && status.native !== native) {
              if (status.native === 'failed') fail(status.nativeFailure);
              await show();
            }
            native = status.native;
            document.body.dataset.native = native;
          } catch { /* The server is being restarted: the next look finds it. */ }
          setTimeout(follow, 250);
        }
        function languages(known) {
          const chosen = $('locale').value;
          const all = [...new Set([...known, 'de', 'fr', 'ar', 'ja'])].sort();
          const names = new Intl.DisplayNames(['en'], { type: 'language' });
          $('locale').replaceChildren(new Option('As written', ''), ...all.map(code => {
            let name = code;
            try { name = names.of(code); } catch { /* A name that no language has. */ }
            return new Option(known.includes(code) ? name : `${name} (numbers)`, code);
          }));
          $('locale').value = all.includes(chosen) ? chosen : '';
        }
        function list(views) {
          const wanted = decodeURIComponent(location.hash.slice(1));
          const chosen = views.find(v => v.id === view)
            ?? views.find(v => v.name === wanted)
            ?? views.find(v => v.isPreview) ?? views[0];
          view = chosen?.id ?? null;
          $('views').replaceChildren();
          for (const [title, some] of [['Previews', views.filter(v => v.isPreview)],
              ['Views', views.filter(v => !v.isPreview)]]) {
            if (!some.length) continue;
            const head = document.createElement('h2');
            head.textContent = title;
            $('views').append(head);
            for (const item of some) {
              const button = document.createElement('button');
              button.textContent = item.name;
              button.title = item.file;
              if (item.id === view) button.setAttribute('aria-current', 'true');
              button.onclick = () => {
                view = item.id;
                location.hash = encodeURIComponent(item.name);
                list(views);
                show();
              };
              $('views').append(button);
            }
          }
        }
        for (const id of ['dark', 'rtl', 'inspect', 'native']) $(id).onclick = () => {
          $(id).setAttribute('aria-pressed', pressed(id) ? 'false' : 'true');
          $('tree').hidden = !pressed('inspect');
          $('native-side').hidden = !pressed('native');
          show();
        };
        // Languages that are written from right to left lay the screen out so, as the system does.
        $('locale').onchange = () => {
          const isRight = /^(ar|he|fa|ur)\\b/.test($('locale').value);
          if (isRight !== pressed('rtl')) $('rtl').click(); else show();
        };
        $('size').oninput = () => show();
        $('restart').onclick = () => show(true);
        follow();

        """
}
