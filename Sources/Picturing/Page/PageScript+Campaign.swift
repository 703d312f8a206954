extension PageScript {
  /// The program of the page of a campaign: it leads from problem to problem, and changes between dark and light. All
  /// that there is to see is in the page without it.
  static let campaign =
    theme + "\n\n" + #"""
      // ---- Problems: failures, and what never happened where it might have

      const problems = Array.from(document.querySelectorAll("tr.problem"));
      let problemAt = -1;
      const problemOutput = element("output");
      function tellProblem() {
        const count = problems.length + (problems.length === 1 ? " problem" : " problems");
        problemOutput.textContent = problemAt < 0 ? count : (problemAt + 1) + " of " + problems.length;
      }
      function goToProblem(direction) {
        if (problems.length === 0) return;
        const last = problems.length - 1;
        problemAt = problemAt < 0 ? (direction > 0 ? 0 : last) : (problemAt + direction + last + 1) % (last + 1);
        problems[problemAt].focus({ preventScroll: true });
        problems[problemAt].scrollIntoView({ block: "center" });
        tellProblem();
      }
      function leaveProblems() {
        problemAt = -1;
        document.activeElement.blur();
        tellProblem();
      }

      // ---- The keyboard, and the beginning

      const commands = {
        n: () => goToProblem(1), p: () => goToProblem(-1), t: () => toggleTheme(), Escape: () => leaveProblems(),
      };
      document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const command = commands[event.key];
        if (!command) return;
        event.preventDefault();
        command();
      });
      const tools = document.getElementById("tools");
      if (problems.length > 0) {
        tools.append(button("‹", "problem before: p", () => goToProblem(-1)), problemOutput,
          button("›", "next problem: n", () => goToProblem(1)));
      }
      tools.append(element("span", "gap"), button("dark / light", "t", () => toggleTheme()));
      tellProblem();
      followTheme(() => {});
      """#
}
