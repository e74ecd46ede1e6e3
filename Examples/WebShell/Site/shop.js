// An ordinary page. What makes it one of an app are the calls to `native`: it says that it works,
// asks for updates, and lets the user decide when to see them.
const native = (name, params = {}) =>
  window.webkit?.messageHandlers?.wvbIos?.postMessage({ name, params })
  ?? Promise.reject(new Error("not in an app"));

const price = (cents) => (cents / 100).toLocaleString("en", { style: "currency", currency: "EUR" });

const goods = await (await fetch("/goods.json")).json();
document.querySelector("#goods").append(...goods.map(({ name, cents }) => {
  const line = document.createElement("li");
  const [label, amount] = [document.createElement("span"), document.createElement("b")];
  label.textContent = name;
  amount.textContent = price(cents);
  line.append(label, amount);
  return line;
}));

const news = document.querySelector("#news");
const button = document.querySelector("#update");
try {
  const { version } = await native("sourceLoadVersion", { bundleName: "app" });
  document.querySelector("#version").textContent = `version ${version}`;
  // Something can be seen and used now: until this is said, the version before is kept.
  await native("updaterConfirm");
  const update = await native("updaterGetUpdate", { bundleName: "app" });
  if (update.isAvailable) {
    news.textContent = `Version ${update.version} is there. ${update.releaseNotes ?? ""}`;
    button.hidden = false;
    button.onclick = async () => {
      button.disabled = true;
      await native("updaterDownload", { bundleName: "app", version: update.version });
      await native("updaterInstall", { bundleName: "app", version: update.version });
    };
  }
} catch (failure) {
  news.textContent = failure.code ?? failure.message;
}
