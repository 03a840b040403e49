// One stage a step, for a wall. A question ends the step before a decision.
  const presenting = () => body.classList.contains('present');
  const asking = () => body.classList.contains('asking');
  const at_step = () => Math.max(0, rows.findIndex((row) => row.open));
  const quiz_of = (row) => row.querySelector('.quiz');

  // Code and facts at the left, words at the right: two columns that do not wait for each other.
  const LEFT = 'pre.src, h4:not(.hand), table, .frames';
  const lay_out = (row) => {
    const detail = row.querySelector('.detail');
    if (detail.querySelector('.wall')) return;
    const left = document.createElement('div'), right = document.createElement('div');
    left.className = 'wall left';
    right.className = 'wall right';
    [...detail.children].forEach((element, order) => {
      element.dataset.order = order;
      if (element.matches('.where, h3')) return;
      (element.matches(LEFT) ? left : right).append(element);
    });
    detail.append(left, right);
  };
  const put_back = () => all('.detail').forEach((detail) => {
    const walls = all('.wall', detail);
    if (!walls.length) return;
    detail.append(...all('[data-order]', detail).sort((a, b) => a.dataset.order - b.dataset.order));
    walls.forEach((wall) => wall.remove());
  });

  const show_step = (at) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    body.classList.remove('asking', 'frames-shown');
    complete(row);
    lay_out(row);
    row.open = true;
    row.querySelector('.detail').scrollTop = 0;
    const here = rows.indexOf(row);
    rows.forEach((other, n) => { other.classList.toggle('later', n > here); if (n !== here) other.open = false; });
    all('.step').forEach((element) => {
      element.textContent = root.lang.startsWith('zh') ? `${here + 1} / ${rows.length}` : `${here + 1} of ${rows.length}`;
    });
    row.firstElementChild.focus({ preventScroll: true });
    row.firstElementChild.scrollIntoView({ block: 'nearest' });
    try { history.replaceState(null, '', '#' + row.id); } catch { /* a page from about:srcdoc has no history */ }
  };
  const ask = (quiz) => {
    body.classList.add('asking');
    quiz.hidden = false;
    all('.chosen', quiz).forEach((answer) => answer.classList.remove('chosen', 'wrong'));
    quiz.querySelector('.answer').textContent = '';
    quiz.closest('.detail').scrollTop = 0;
  };
  const forward = () => {
    const here = at_step();
    const quiz = quiz_of(rows[here]);
    if (quiz && !asking() && here + 1 < rows.length) ask(quiz); else show_step(here + 1);
  };
  const back = () => { if (asking()) show_step(at_step()); else show_step(at_step() - 1); };

  const present = (on) => {
    if (on === presenting()) return;
    body.classList.toggle('present', on);
    all('.show').forEach((button) => button.setAttribute('aria-pressed', on));
    if (on) {
      show_step(at_step());
    } else {
      body.classList.remove('asking', 'frames-shown');
      rows.forEach((row) => row.classList.remove('later'));
      put_back();
    }
  };

  // The right answer says so and waits: the class talks before the next step shows it. A wrong one that leads elsewhere is a link.
  const answer = (chosen) => {
    const quiz = chosen.closest('.quiz');
    all('.chosen', quiz).forEach((other) => other.classList.remove('chosen', 'wrong'));
    const right = chosen.classList.contains('right');
    chosen.classList.add('chosen');
    chosen.classList.toggle('wrong', !right);
    quiz.querySelector('.answer').textContent = right ? quiz.dataset.right : quiz.dataset.wrong;
  };
  document.addEventListener('click', (event) => {
    const button = event.target.closest('.quiz button');
    if (button) answer(button);
    if (event.target.closest('.show')) present(!presenting());
    if (presenting() && event.target.closest('summary')) {
      event.preventDefault();
      const row = event.target.closest(ROW);
      if (row && !row.classList.contains('later')) show_step(rows.indexOf(row));
    }
  });

  keys.p = () => present(!presenting());
  const on_the_wall = {
    ArrowRight: forward, ArrowDown: forward, j: forward, ' ': forward, PageDown: forward, ArrowLeft: back, ArrowUp: back, k: back, PageUp: back,
    f: () => body.classList.toggle('frames-shown'), Escape: () => present(false), Home: () => show_step(0), End: () => show_step(rows.length - 1),
  };
  for (let n = 1; n <= 9; ++n)
    on_the_wall[n] = () => { const choice = asking() && all('li > *', quiz_of(rows[at_step()]))[n - 1]; if (choice) choice.click(); };
  // In front of the page's own keys. A button that has the focus keeps its space bar.
  addEventListener('keydown', (event) => {
    if (!presenting() || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(on_the_wall, event.key)) return;
    if (event.target.matches && (event.target.matches('input') || (event.key === ' ' && event.target.matches('button, a')))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    on_the_wall[event.key]();
  }, true);
