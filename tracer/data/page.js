// Keys, themes and colours of source. The page is complete without this. Runs in one function with the files that follow it (views/html.cpp).
  const ROW = ':is(.tower, .branch) > details';
  const root = document.documentElement;
  const body = document.body;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const sections = all('.event');
  const rows_of = (section) => all(ROW, section);
  let section = sections[0];  // the event that is shown
  let rows = section ? rows_of(section) : all(ROW);
  root.classList.add('scripted');

  const reveal = (row) => {
    complete(row);
    row.open = true;
    row.querySelector('.detail').scrollTop = 0;
    row.firstElementChild.scrollIntoView({ block: matchMedia('(max-width: 1020px)').matches ? 'start' : 'nearest' });
  };
  const current = () => {
    const focused = document.activeElement && document.activeElement.closest(ROW);
    return focused && focused.open ? rows.indexOf(focused) : rows.findIndex((row) => row.open);
  };
  const go = (index) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    reveal(row);
    row.firstElementChild.focus({ preventScroll: true });
    try { history.replaceState(null, '', '#' + row.id); } catch { /* a page from about:srcdoc has no history */ }
  };
  const step = (by) => { const at = current(); go(at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by); };

  // A detail that another event has as well is a link to it; the reader gets it here.
  const complete = (row) => {
    const detail = row.querySelector('.detail');
    const other = detail.dataset.same && document.getElementById(detail.dataset.same);
    if (!other) return;
    const mine = row.id.split('-', 1)[0] + '-', theirs = other.id.split('-', 1)[0] + '-';
    detail.innerHTML = other.querySelector('.detail').innerHTML;
    all('[id]', detail).forEach((element) => { element.id = mine + element.id.slice(theirs.length); });
    delete detail.dataset.same;
  };
  document.addEventListener('toggle', (event) => { if (event.target.open && event.target.matches(ROW)) complete(event.target); }, true);

  // Every frame, as thin rows under each stage: from the lists in the details.
  const thin_rows = (row) => {
    complete(row);
    const list = document.createElement('ul');
    list.className = 'all m ' + row.className;
    list.style.cssText = row.style.cssText;
    list.append(...all('.frames li', row).map((frame) => {
      const item = frame.cloneNode(true);
      item.removeAttribute('id');
      all('wbr', item).forEach((mark) => mark.remove());
      item.normalize();
      return item;
    }));
    row.after(list);
  };
  const list_frames = () => { if (!section.querySelector('.all')) rows.forEach(thin_rows); };
  const every = () => {
    const on = body.classList.toggle('every-frame');
    if (on) list_frames();
    all('.every').forEach((button) => button.setAttribute('aria-pressed', on));
  };
  const theme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  };
  const close = () => rows.forEach((row) => { row.open = false; });

  // The files that follow add theirs.
  const keys = { j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
                 f: every, t: theme, Escape: close };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    if (event.target.matches && event.target.matches('input')) return;
    if (event.key.startsWith('Arrow') && event.target.closest && event.target.closest('pre, .detail')) return;  // those scroll
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelectorAll('.every').forEach((button) => button.addEventListener('click', every));
  document.querySelectorAll('.theme').forEach((button) => button.addEventListener('click', theme));

  // An id inside of a detail that is still a link to another event's is there once that is completed.
  const find = (id) => {
    const there = document.getElementById(id);
    const holder = there ? null : document.getElementById(id.split('-', 1)[0]);
    if (holder && holder.matches('.event')) rows_of(holder).forEach(complete);
    return there || document.getElementById(id);
  };

  // #f18 is a stage or a frame inside of one.
  const follow = (hash) => {
    const target = hash.length > 1 && find(decodeURIComponent(hash.slice(1)));
    const holder = target && target.closest('.event');
    if (holder && holder !== section) choose(holder);
    const row = target && target.closest(ROW);
    if (!row) return;
    reveal(row);
    document.querySelectorAll('li.target').forEach((item) => item.classList.remove('target'));
    if (target === row || !target.matches('li')) return;
    target.classList.add('target');  // marked, not scrolled to: what is read first is the title
  };
  // Paper shows every stage of the event; the rows' common name would let only one be open.
  addEventListener('beforeprint', () => rows.forEach((row) => {
    complete(row);
    row.dataset.was = row.open ? 'open' : '';
    row.dataset.name = row.getAttribute('name');
    row.removeAttribute('name');
    row.open = true;
  }));
  addEventListener('afterprint', () => rows.forEach((row) => { row.open = row.dataset.was === 'open'; row.setAttribute('name', row.dataset.name); }));

  // Debian's highlight.js is version 9 and says so on the console of every reader.
  if (globalThis.hljs) hljs.configure({ hideUpgradeWarningAcceptNoSupportOrSecurityUpdates: true });
  const paint = (block) => {
    const language = block.dataset.lang;
    if (!globalThis.hljs || !language || !hljs.getLanguage(language)) return;
    let state;
    all('code', block).forEach((line) => {
      const result = hljs.highlight(language, line.textContent, true, state);
      state = result.top;
      line.innerHTML = result.value;
    });
  };
  // What is seen first is painted first; a page of many events paints a detail when it comes into view.
  const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (!entry.isIntersecting) return;
    seen.unobserve(entry.target);
    paint(entry.target);
  }));
  const colour = (block) => {
    const sources = all('pre.src[data-lang]', block);
    if (sources.length > 200) sources.forEach((source) => seen.observe(source)); else sources.forEach(paint);
  };

  const wanted = new URLSearchParams(location.search).get('theme');
  if (wanted === 'dark' || wanted === 'light') root.dataset.theme = wanted;
