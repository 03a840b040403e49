// Keys, themes and colours of source. The page is complete without this.
(() => {
  const root = document.documentElement;
  const rows = [...document.querySelectorAll('.tower > details')];
  root.classList.add('scripted');

  const reveal = (row) => {
    row.open = true;
    row.querySelector('.detail').scrollTop = 0;
    row.firstElementChild.scrollIntoView({ block: matchMedia('(max-width: 1020px)').matches ? 'start' : 'nearest' });
  };
  const current = () => {
    const focused = document.activeElement && document.activeElement.closest('.tower > details');
    return focused && focused.open ? rows.indexOf(focused) : rows.findIndex((row) => row.open);
  };
  const go = (index) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    reveal(row);
    row.firstElementChild.focus({ preventScroll: true });
    try { history.replaceState(null, '', '#' + row.id); } catch { /* a page from about:srcdoc has no history */ }
  };
  const step = (by) => { const at = current(); go(at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by); };
  const every = () => {
    const on = document.body.classList.toggle('every-frame');
    document.querySelectorAll('.every').forEach((button) => button.setAttribute('aria-pressed', on));
  };
  const theme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  };
  const close = () => rows.forEach((row) => { row.open = false; });

  const keys = { j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
                 f: every, t: theme, Escape: close };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    if (event.key.startsWith('Arrow') && event.target.closest && event.target.closest('pre, .detail')) return;  // those scroll
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelectorAll('.every').forEach((button) => button.addEventListener('click', every));
  document.querySelectorAll('.theme').forEach((button) => button.addEventListener('click', theme));

  // #f18 is a stage or a frame inside of one.
  const follow = (hash) => {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    const row = target && target.closest('.tower > details');
    if (!row) return;
    reveal(row);
    document.querySelectorAll('li.target').forEach((item) => item.classList.remove('target'));
    if (target === row) return;
    target.classList.add('target');  // marked, not scrolled to: what is read first is the title
  };
  addEventListener('hashchange', () => follow(location.hash));
  // The browser puts a target at the very top, but a path is read as a whole: so it does not get to see the hash before the page is there.
  const hash = location.hash;
  const show = (text) => { try { history.replaceState(null, '', location.pathname + location.search + text); } catch { /* as above */ } };
  if (hash.length > 1) {
    show('');
    follow(hash);
    addEventListener('load', () => { follow(hash); show(hash); });
  }

  // Paper shows every stage; the rows' common name would let only one be open.
  addEventListener('beforeprint', () => rows.forEach((row) => {
    row.dataset.was = row.open ? 'open' : '';
    row.dataset.name = row.getAttribute('name');
    row.removeAttribute('name');
    row.open = true;
  }));
  addEventListener('afterprint', () => rows.forEach((row) => { row.open = row.dataset.was === 'open'; row.setAttribute('name', row.dataset.name); }));

  // Debian's highlight.js is version 9 and says so on the console of every reader.
  if (globalThis.hljs) hljs.configure({ hideUpgradeWarningAcceptNoSupportOrSecurityUpdates: true });
  if (globalThis.hljs)
    document.querySelectorAll('pre.src[data-lang]').forEach((block) => {
      const language = block.dataset.lang;
      if (!language || !hljs.getLanguage(language)) return;
      let state;
      block.querySelectorAll('code').forEach((line) => {
        const result = hljs.highlight(language, line.textContent, true, state);
        state = result.top;
        line.innerHTML = result.value;
      });
    });

  const wanted = new URLSearchParams(location.search).get('theme');
  if (wanted === 'dark' || wanted === 'light') root.dataset.theme = wanted;
})();
