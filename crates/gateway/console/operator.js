// The token of requests that change something. A printed link has a key, which
// works once; the token that it gives is kept for other pages of this origin.
"use strict";

const operator = (() => {
  const NAME = "tupelo-operator";
  let token = null;
  try { token = localStorage.getItem(NAME); } catch { /* private windows */ }

  const begin = async () => {
    const found = /^#(?:([a-z0-9]+)&)?key=([A-Za-z0-9_-]+)$/.exec(location.hash);
    if (!found) return;
    // Not in the history, and not in a copied address.
    const shown = found[1] ? `#${found[1]}` : "";
    window.history.replaceState(null, "", location.pathname + location.search + shown);
    const options = { method: "POST", headers: { "x-tupelo-operator": found[2] } };
    const answer = await fetch("/operator/session", options).catch(() => null);
    if (!answer || !answer.ok) return;
    token = (await answer.json()).token;
    try { localStorage.setItem(NAME, token); } catch { /* for this page only */ }
  };

  return { ready: begin(), headers: () => ({ "x-tupelo-operator": token || "none" }) };
})();
