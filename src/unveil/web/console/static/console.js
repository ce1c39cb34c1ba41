// Asks whether there is news, while the page is looked at. What was shown stays as it is: a list must not move under a
// finger that is about to press a button, so news are told and a link shows them.
const root = document.body.dataset.root;
const news = document.getElementById("news");
const EVERY = 3000;

async function ask() {
  try {
    const answer = await fetch(`${root}/pulse`, { cache: "no-store", credentials: "same-origin" });
    if (answer.status === 401) return location.assign(`${root}/join`);
    if (answer.ok) show(await answer.json());
  } catch {
    // The console was stopped, or is being started again: ask later.
  }
}

function show(found) {
  for (const [name, text] of Object.entries(found.live)) {
    const place = document.querySelector(`[data-live="${name}"]`);
    if (place && place.textContent !== text) place.textContent = text;
  }
  if (document.body.dataset.seen && found.seen !== document.body.dataset.seen) news.hidden = false;
}

setInterval(() => {
  if (document.visibilityState === "visible") ask();
}, EVERY);

// A page that comes back from the browser's memory shows what was; it is asked for anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
