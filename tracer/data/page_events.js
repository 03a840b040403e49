// Of many events one is shown; the list above chooses which.
  const entries = all('.events li');
  const choose = (wanted) => {
    if (sections.length < 2) return;
    section = wanted;
    rows = rows_of(section);
    sections.forEach((other) => { if (other === section) other.removeAttribute('hidden'); else if (!other.hidden) other.hidden = 'until-found'; });
    entries.forEach((entry, at) => entry.firstElementChild.toggleAttribute('aria-current', sections[at] === section));
    const entry = entries[sections.indexOf(section)], list = entry && entry.parentNode;
    if (list) list.scrollLeft = Math.min(list.scrollLeft, entry.offsetLeft) + Math.max(0, entry.offsetLeft + entry.offsetWidth - list.clientWidth - Math.min(list.scrollLeft, entry.offsetLeft));
    if (body.matches('.every-frame')) list_frames();
  };
  const next_event = (by) => {
    const shown = sections.filter((_, at) => entries[at] && !entries[at].hidden);
    const at = shown.indexOf(section) + by;
    if (shown[at]) choose(shown[at]);
  };
  if (sections.length > 1) {
    keys.n = () => next_event(1);
    keys.N = () => next_event(-1);
    // The browser's own search finds what is in other events and asks for them to be shown.
    sections.forEach((one) => one.addEventListener('beforematch', () => choose(one)));
    entries.forEach((entry, at) => entry.firstElementChild.addEventListener('click', (event) => {
      event.preventDefault();
      choose(sections[at]);
      try { history.replaceState(null, '', '#' + sections[at].id); } catch { /* a page from about:srcdoc has no history */ }
    }));
  }
