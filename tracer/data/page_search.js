// Search: rows that have the text stay, the others step back; of many events, those without it leave the list.
  const fields = all('.find input');
  const texts = new WeakMap();
  const text_of = (element) => {
    if (!texts.has(element)) {
      const same = all('[data-same]', element).map((detail) => document.getElementById(detail.dataset.same).textContent);
      texts.set(element, (element.textContent + same.join(' ')).toLowerCase());
    }
    return texts.get(element);
  };
  const search = (field) => {
    const wanted = field.value.trim().toLowerCase();
    const has = (element) => !wanted || text_of(element).includes(wanted);
    if (sections.length > 1) entries.forEach((entry, at) => { entry.hidden = !(has(sections[at]) || has(entry)); });
    const found = sections.length > 1 ? entries.filter((entry) => !entry.hidden) : rows.filter(has);
    if (sections.length > 1 && found.length && !found.includes(entries[sections.indexOf(section)])) choose(sections[entries.indexOf(found[0])]);
    body.classList.toggle('searching', Boolean(wanted));
    rows.forEach((row) => row.classList.toggle('has', Boolean(wanted) && has(row)));
    field.nextElementSibling.textContent = wanted ? String(found.length) : '';
  };
  fields.forEach((field) => {
    field.addEventListener('input', () => search(field));
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { field.value = ''; search(field); field.blur(); }
      if (event.key !== 'Enter') return;
      const found = rows.filter((row) => row.classList.contains('has'));
      const at = found.findIndex((row) => row.open);
      if (found.length) reveal(found[(at + 1) % found.length]);
    });
  });
  if (fields.length) keys['/'] = () => fields[0].focus();
