// The operator's page draws itself anew every few seconds: it asks for the same page again and changes what differs, so
// that nothing flickers, what is open stays open, and whoever reads is not moved. Without this script the page is whole.

const EVERY = 5000;
const live = document.getElementById("live");
const at = document.getElementById("at");
const lost = document.getElementById("lost");
const pause = document.getElementById("pause");
let timer = null;

// Read by the browser itself as a document: text of the unit never becomes markup here.
function fetched() {
  return new Promise((found, failed) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.pathname);
    request.setRequestHeader("unveil-refresh", "1");
    request.responseType = "document";
    request.timeout = 4 * EVERY;
    request.onload = () => (request.status === 200 && request.response ? found(request.response) : failed());
    request.onerror = request.ontimeout = failed;
    request.send();
  });
}

function become(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(document.importNode(fresh, true));
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    old.data = fresh.data;
    return;
  }
  const kept = old.nodeName === "DETAILS" ? ["open"] : []; // whoever opened it reads it
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !kept.includes(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...old.childNodes];
  [...fresh.childNodes].forEach((each, place) => {
    if (place < now.length) become(now[place], each);
    else old.append(document.importNode(each, true));
  });
  for (const each of now.slice(fresh.childNodes.length)) each.remove();
}

async function refresh() {
  clearTimeout(timer);
  if (!document.hidden) {
    try {
      const page = await fetched();
      if (!page.getElementById("live")) return location.reload(); // logged out
      become(live, page.getElementById("live"));
      become(at, page.getElementById("at"));
      lost.hidden = true;
      document.body.dataset.refreshed = Number(document.body.dataset.refreshed ?? 0) + 1;
    } catch {
      lost.hidden = false;
    }
  }
  if (pause.getAttribute("aria-pressed") === "false") timer = setTimeout(refresh, EVERY);
}

pause.hidden = false;
pause.addEventListener("click", () => {
  const paused = pause.getAttribute("aria-pressed") === "false";
  pause.setAttribute("aria-pressed", String(paused));
  clearTimeout(timer);
  if (!paused) refresh();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && pause.getAttribute("aria-pressed") === "false") refresh();
});
// A page that comes back from the browser's memory shows what was; it is asked for anew.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
timer = setTimeout(refresh, EVERY);
