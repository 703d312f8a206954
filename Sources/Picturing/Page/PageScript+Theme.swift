extension PageScript {
  /// What all pages share: elements, dark and light, and paper.
  static let theme = #"""
    "use strict";

    function element(name, className, text) {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text !== undefined) made.textContent = text;
      return made;
    }
    function button(text, title, action) {
      const made = element("button", "", text);
      made.type = "button";
      made.title = title;
      made.addEventListener("click", action);
      return made;
    }

    // ---- Dark and light

    // Draws anew what has colours that the style sheet does not give it.
    let repaint = () => {};
    let isPrinting = false;
    function isDark() {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    }
    function toggleTheme() {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      repaint();
    }
    function followTheme(action) {
      repaint = action;
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaint());
      // On paper it is light, whatever it is on the screen.
      let theme;
      addEventListener("beforeprint", () => {
        theme = document.documentElement.dataset.theme;
        document.documentElement.dataset.theme = "light";
        isPrinting = true;
        repaint();
      });
      addEventListener("afterprint", () => {
        if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
        isPrinting = false;
        repaint();
      });
    }
    """#
}
