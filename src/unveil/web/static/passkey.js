// Passkeys at the log-in: the unit asks, the device signs, and the unit lets its person in. Nothing is kept here.

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const button = document.getElementById("passkey");
const trouble = document.getElementById("passkey-trouble");
const root = button.dataset.root;
const invitation = () => document.querySelector('input[name="invitation"]')?.value.trim();

async function post(path, body) {
  const answer = await fetch(`${root}/passkey/${path}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), cache: "no-store", credentials: "same-origin",
  });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

async function made() {
  const options = await post("new", { invitation: invitation() });
  const key = await navigator.credentials.create({ publicKey: { ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) }, excludeCredentials: [] } });
  const response = { clientDataJSON: text(key.response.clientDataJSON), attestationObject: text(key.response.attestationObject) };
  return post("join", { invitation: invitation(), answer: { id: key.id, rawId: text(key.rawId), type: key.type, response } });
}

async function shown() {
  const options = await post("ask", {});
  const key = await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: [] } });
  const { clientDataJSON, authenticatorData, signature, userHandle } = key.response;
  const response = { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature), userHandle: userHandle && text(userHandle) };
  return post("log-in", { answer: { id: key.id, rawId: text(key.rawId), type: key.type, response } });
}

if (window.PublicKeyCredential) {
  document.getElementById("by-passkey").hidden = false;
  button.addEventListener("click", async () => {
    trouble.hidden = true;
    try {
      await (invitation() === undefined ? shown() : made());
      location.assign(root);
    } catch {
      trouble.hidden = false;
    }
  });
}
