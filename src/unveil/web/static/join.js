// The secret of an invitation stands after the #, which browsers send to nobody. It goes into the form and out of the
// address, so that neither history nor a screenshot keeps it.
const field = document.querySelector('input[name="invitation"]');
const secret = location.hash.slice(1);
if (secret) {
  history.replaceState(null, "", location.pathname);
  field.value = secret;
  document.getElementById("code").hidden = true;
  const next = document.querySelector('input[name="password"]') ?? document.querySelector("form#join button");
  next.focus();
}
