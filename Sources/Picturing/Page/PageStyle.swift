/// How a page looks. Colours can be told apart by those who see few of them, and nothing is told by colour alone.
enum PageStyle {}

extension PageStyle {
  /// Colours, type and places of a page: light, dark, and on paper.
  static let text = #"""
    :root {
      color-scheme: light dark;
      --paper: #ffffff; --panel: #f5f6f8; --raised: #ffffff; --ink: #1b1f24; --muted: #5c6570; --line: #d9dde3;
      --lane: #c3c9d1; --accent: #0b62c4; --accent-soft: #dbe9fb;
      --message: #3f6b96; --known: #0072b2; --stale: #e69f00; --missing: #d55e00; --differs: #cc79a7;
      --good: #007a55; --bad: #c04400; --open: #8a6100; --found: #009e73; --changed: #b07a00; --asked: #9b4f96;
    }
    @media (prefers-color-scheme: dark) {
      :root:not([data-theme="light"]) {
        --paper: #14171b; --panel: #1b1f25; --raised: #232830; --ink: #e7eaee; --muted: #9aa4b0; --line: #323943;
        --lane: #48515d; --accent: #6db3ff; --accent-soft: #1d3957;
        --message: #8fb9e3; --known: #56b4e9; --stale: #f0b73b; --missing: #ff8a4c; --differs: #e4a3c6;
        --good: #3ecf9d; --bad: #ff8a4c; --open: #e8b84a; --found: #3ecf9d; --changed: #f0b73b; --asked: #d59fd2;
      }
    }
    :root[data-theme="dark"] {
      color-scheme: dark;
      --paper: #14171b; --panel: #1b1f25; --raised: #232830; --ink: #e7eaee; --muted: #9aa4b0; --line: #323943;
      --lane: #48515d; --accent: #6db3ff; --accent-soft: #1d3957;
      --message: #8fb9e3; --known: #56b4e9; --stale: #f0b73b; --missing: #ff8a4c; --differs: #e4a3c6;
      --good: #3ecf9d; --bad: #ff8a4c; --open: #e8b84a; --found: #3ecf9d; --changed: #f0b73b; --asked: #d59fd2;
    }
    :root[data-theme="light"] { color-scheme: light; }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
    }
    header, main { padding: 0 clamp(1rem, 3vw, 2.5rem); }
    header { padding-top: 1.6rem; padding-bottom: .4rem; }
    .verb { margin: 0; color: var(--muted); font-size: .85rem; letter-spacing: .02em; }
    h1 { margin: .1rem 0 .5rem; font-size: clamp(1.3rem, 2.4vw, 1.8rem); line-height: 1.25; font-weight: 650; }
    h2 { margin: 2rem 0 .6rem; font-size: 1.1rem; font-weight: 650; }
    h3 { margin: 1rem 0 .3rem; font-size: .85rem; font-weight: 650; color: var(--muted); }
    code, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      font-size: .86em; }
    h1, td, th, dd, li, .jump { unicode-bidi: plaintext; }
    .note { color: var(--muted); margin: .3rem 0 .8rem; }
    .verdict { display: inline-block; margin: 0 0 .6rem; padding: .1rem .7rem; border-radius: 1rem;
      font-weight: 650;
      border: 1.5px solid currentColor; }
    .good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
    .facts { display: flex; flex-wrap: wrap; gap: .3rem 1.8rem; margin: 0; }
    .facts div { display: flex; gap: .45rem; align-items: baseline; }
    .facts dt { color: var(--muted); font-size: .85rem; }
    .facts dd { margin: 0; font-variant-numeric: tabular-nums; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; vertical-align: top; padding: .32rem .9rem .32rem 0;
      border-bottom: 1px solid var(--line); }
    thead th { color: var(--muted); font-weight: 550; font-size: .82rem; border-bottom-width: 2px;
      white-space: nowrap; }
    td.good, td.bad, td.open, tbody th { white-space: nowrap; font-weight: 550; }
    #left-out ul { margin: 0; padding-left: 1.2rem; color: var(--muted); }
    small { color: var(--muted); font-weight: 400; }
    th small { display: block; white-space: normal; }
    tbody th small { max-width: 26rem; }
    .matrix thead th { min-width: 5rem; color: var(--ink); }
    .matrix td { padding-right: 1.4rem; white-space: nowrap; }
    .findings td { max-width: 44rem; }
    .jump.live { cursor: pointer; color: inherit; text-decoration: underline; text-underline-offset: .18em;
      text-decoration-thickness: 1px; }
    .jump.live:hover { text-decoration-thickness: 2px; }
    details { margin: .6rem 0; }
    summary { cursor: pointer; color: var(--muted); }
    :focus-visible { outline: 2.5px solid var(--accent); outline-offset: 2px; border-radius: 3px; }

    #diagram { margin-top: .8rem; }
    .tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-bottom: .5rem; }
    .tools button, .tools input {
      font: inherit; font-size: .86rem; color: var(--ink); background: var(--raised); border: 1px solid var(--line);
      border-radius: .45rem; padding: .22rem .65rem; min-height: 2rem;
    }
    .tools button { cursor: pointer; }
    .tools button:hover { border-color: var(--accent); }
    .tools button[aria-pressed="true"] { background: var(--accent-soft); border-color: var(--accent); }
    .tools input { width: 13rem; }
    .tools .gap { flex: 1; }
    .tools output { color: var(--muted); font-size: .86rem; min-width: 4rem; }
    .stage { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 1rem; }
    @media (max-width: 70rem) { .stage { grid-template-columns: minmax(0, 1fr); } }
    .panes { border: 1px solid var(--line); border-radius: .7rem; overflow: hidden; background: var(--panel); }
    .pane { position: relative; overflow-x: hidden; overflow-y: auto; max-height: 62vh; overscroll-behavior: auto; }
    .pane + .pane { border-top: 1px solid var(--line); max-height: 38vh; }
    .pane canvas { position: sticky; top: 0; left: 0; display: block; touch-action: pan-y; cursor: crosshair; }
    .pane canvas.dragged { cursor: grabbing; }
    .pane .rest { pointer-events: none; }
    #overview { display: block; width: 100%; height: 3rem; border-bottom: 1px solid var(--line);
      cursor: ew-resize; }
    .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .5rem 0 0; font-size: .82rem;
      color: var(--muted); }
    .legend span { display: inline-flex; align-items: center; gap: .4rem; }
    .legend canvas { width: 26px; height: 16px; }
    #detail { font-size: .9rem; border: 1px solid var(--line); border-radius: .7rem; padding: .2rem 1rem 1rem;
      background: var(--panel); align-self: start; max-height: min(92vh, 52rem); overflow-y: auto;
        position: sticky; top: .5rem; }
    #detail h2 { margin: .7rem 0 .1rem; font-size: 1rem; }
    #detail dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem .8rem;
      margin: .6rem 0; font-size: .84rem; }
    #detail dt { color: var(--muted); }
    #detail dd { margin: 0; }
    #detail ul { list-style: none; margin: 0; padding: 0; }
    #detail li button { font: inherit; font-size: .84rem; text-align: left; color: var(--ink); background: none;
      border: 0;
      padding: .18rem .3rem; margin-left: -.3rem; border-radius: .3rem; cursor: pointer; width: 100%; }
    #detail li button:hover { background: var(--accent-soft); }
    #detail kbd, .keys kbd { font: inherit; font-size: .8rem; border: 1px solid var(--line);
      border-bottom-width: 2px; border-radius: .3rem;
      padding: 0 .35rem; background: var(--raised); white-space: nowrap; }
    .keys { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem .8rem; font-size: .86rem;
      margin: .6rem 0 0; }
    .keys dd { margin: 0; color: var(--muted); }
    #tip { position: fixed; z-index: 5; pointer-events: none; max-width: min(34rem, 90vw); padding: .5rem .75rem;
      font-size: .84rem;
      background: var(--raised); color: var(--ink); border: 1px solid var(--line); border-radius: .5rem;
      box-shadow: 0 .3rem 1.2rem rgb(0 0 0 / 22%); }
    #tip p { margin: 0; } #tip .head { font-weight: 650; }
    #tip .sub { color: var(--muted); margin-bottom: .2rem; }
    #tip dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 .7rem; margin: .2rem 0 0; }
    #tip dt { color: var(--muted); } #tip dd { margin: 0; }
    pre { overflow-x: auto; padding: .6rem .9rem; background: var(--panel); border: 1px solid var(--line);
      border-radius: .7rem; font-size: .84rem; line-height: 1.45; }
    .numbers td { white-space: nowrap; }
    .numbers td:last-child { white-space: normal; }
    #curves svg { display: block; max-width: 100%; height: auto; margin-bottom: .8rem;
      font: 12px system-ui, sans-serif; }
    #curves text { fill: var(--ink); }
    #curves .p { font-size: 13px; font-weight: 600; }
    #curves .m { fill: var(--muted); }
    #curves .g { stroke: var(--line); }
    #curves .a { stroke: var(--lane); }
    #curves .l { fill: none; stroke-width: 2; }
    #curves .d { stroke-dasharray: 5 4; stroke-width: 1.5; }
    #curves .b { opacity: .14; }
    #curves .w { stroke-width: 1.5; }
    footer { padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 2rem; color: var(--muted); font-size: .82rem; }

    @media print {
      :root, :root[data-theme] { color-scheme: light;
        --paper: #fff; --panel: #fff; --raised: #fff; --ink: #000; --muted: #444; --line: #bbb; --lane: #999;
        --accent: #0b62c4; --accent-soft: #e4eefb; --message: #2f5a84; --known: #0072b2; --stale: #e69f00;
          --missing: #d55e00;
        --differs: #cc79a7; --good: #007a55; --bad: #c04400; --open: #8a6100; --found: #009e73;
          --changed: #b07a00; --asked: #9b4f96; }
      @page { size: A4 landscape; margin: 12mm; }
      body { font-size: 11px; }
      header, main, footer { padding-left: 0; padding-right: 0; }
      .tools, #tip, .keys, .empty { display: none !important; }
      .stage { display: block; }
      .pane { max-height: none; overflow: hidden; }
      #detail { position: static; max-height: none; margin-top: .6rem; break-inside: avoid; }
      tr { break-inside: avoid; }
    }
    @media (prefers-reduced-motion: no-preference) { .tools button { transition: border-color .12s; } }
    """#
}
