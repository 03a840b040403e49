// The last file: what the address asks for.
  addEventListener('hashchange', () => follow(location.hash));
  // The browser puts a target at the very top, but a path is read as a whole: so it does not get to see the hash before the page is there.
  const hash = location.hash;
  const show = (text) => { try { history.replaceState(null, '', location.pathname + location.search + text); } catch { /* as above */ } };
  if (hash.length > 1) {
    show('');
    follow(hash);
    addEventListener('load', () => { follow(hash); show(hash); });
  }


  colour(document);
  if (sections.length > 1) choose(sections[0]);
  if (body.matches('.presented') || new URLSearchParams(location.search).has('present')) present(true);
