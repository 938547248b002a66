// A page that is opened from a folder may not start a worker, so its search runs in a hidden frame.
if (location.protocol === "file:") {
  const post = window.postMessage;
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc =
        `<script>postMessage = data => parent.postMessage(data, "*")</script><script src="${url}"></script>`;
      this.loaded = new Promise(done => this.frame.addEventListener("load", done));
      window.addEventListener("message", event => {
        if (event.source === this.frame.contentWindow) {
          this.dispatchEvent(new MessageEvent("message", { data: event.data }));
        }
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.loaded.then(() => post.call(this.frame.contentWindow, data, "*"));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
