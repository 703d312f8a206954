import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallPicturing

/// What stands on pages beside the diagram, from its first line to its last.
@Suite("Tables of pages") struct PageTableTests {
  // MARK: - Of a run, a capture or an examination

  private static func picture() -> Picture {
    var picture = PictureDraft().finished(
      verb: "rollcall examine", title: "", unit: .frame, origin: nil, lives: [])
    picture.title = #"it's <a> & "b""#
    picture.outcome = Picture.Outcome("1 < 2", .bad)
    picture.facts = [Picture.Fact("seed", "7"), Picture.Fact("<n>", "'v'")]
    picture.leftOut = [Picture.LeftOut(what: "findings & more", count: 12)]
    return picture
  }

  private static let head = #"""
    <header>
    <p class="verb">rollcall examine</p>
    <h1>it&#39;s &lt;a&gt; &amp; &quot;b&quot;</h1>
    <p class="verdict bad">1 &lt; 2</p>
    <dl class="facts">
    <div><dt>seed</dt><dd>7</dd></div>
    <div><dt>&lt;n&gt;</dt><dd>&#39;v&#39;</dd></div>
    </dl>
    </header>
    <main>
    <section id="diagram" aria-label="Diagram" hidden></section>
    <noscript><p class="note">The diagram needs JavaScript; all else is below.</p></noscript>

    """#

  private static let end = #"""
    <section id="left-out">
    <h2>Left out</h2>
    <ul>
    <li>12 findings &amp; more</li>
    </ul>
    </section>
    </main>

    """#

  @Test("a page without tables has its head, a line about the diagram, and the counts that were left out")
  func bare() {
    expectEqual(PictureTablesHTML.body(Self.picture()), Self.head + Self.end)
  }

  @Test("an expectation has its sign, and leads to its moment, as a problem where it does not hold")
  func expectations() {
    func expectation(
      _ id: String, _ outcome: Picture.Outcome, place: String, at time: Interval?
    ) -> Picture.Expectation {
      Picture.Expectation(
        id: id, text: "found: <tv>", place: place, outcome: outcome, expected: "a & b", found: "'c'", time: time)
    }
    var picture = Self.picture()
    picture.expectations = [
      expectation("one", Picture.Outcome("holds", .good), place: "", at: .milliseconds(1_500)),
      expectation("two", Picture.Outcome("fails", .bad), place: "tv.yaml:3", at: .nanoseconds(7)),
      expectation("<3>", Picture.Outcome("unknown", .open), place: "", at: nil),
    ]
    let table = #"""
      <section id="expectations">
      <h2>Expectations</h2>
      <div class="wide" tabindex="0"><table>
      <thead><tr><th scope="col">id</th><th scope="col">outcome</th><th scope="col">expectation</th>\#
      <th scope="col">expected</th><th scope="col">found</th><th scope="col">when</th></tr></thead>
      <tbody>
      <tr><td>one</td><td class="good">✓ holds</td><td><code>found: &lt;tv&gt;</code></td>\#
      <td>a &amp; b</td><td>&#39;c&#39;</td>\#
      <td><span class="jump" data-time="1500000000">1.500000000 s</span></td></tr>
      <tr><td>two</td><td class="bad">✘ fails</td>\#
      <td><code>found: &lt;tv&gt;</code><br><small>tv.yaml:3</small></td><td>a &amp; b</td><td>&#39;c&#39;</td>\#
      <td><span class="jump problem" data-time="7">0.000000007 s</span></td></tr>
      <tr><td>&lt;3&gt;</td><td class="open">? unknown</td><td><code>found: &lt;tv&gt;</code></td>\#
      <td>a &amp; b</td><td>&#39;c&#39;</td><td></td></tr>
      </tbody>
      </table></div>
      </section>

      """#
    expectEqual(PictureTablesHTML.body(picture), Self.head + table + Self.end)
  }

  private typealias Cell = PictureMatrix.Cell

  private static func row(_ clause: String, _ cells: Cell...) -> PictureMatrix.Row {
    PictureMatrix.Row(clause: clause, gist: "a < b", level: "must", cells: cells)
  }

  private static func matrix() -> PictureMatrix {
    let unseen = Cell(mark: .notExercised, count: 0, number: 0)
    return PictureMatrix(
      parties: [
        PictureMatrix.Party(name: "<tv>", role: "device", detail: "192.168.1.20"),
        PictureMatrix.Party(name: "phone", role: "control point", detail: ""),
      ],
      rows: [
        row("A-1", Cell(mark: .violated, count: 3, number: 5), unseen),
        row("A-2", unseen, Cell(mark: .inconclusive, count: 2, number: 1)),
        row("A-3", Cell(mark: .held, count: 4, number: 0), Cell(mark: .violated, count: 1, number: 0)),
        row("A-4", Cell(mark: .held, count: 2, number: 0), unseen),
      ],
      findings: [
        PictureMatrix.Finding(
          clause: "A-1", level: "must", isBreach: true, party: "<tv>", device: "uuid:<a>", number: 5, count: 2,
          expected: "e & f", found: "<f>", remedy: "'r'"),
        PictureMatrix.Finding(
          clause: "A-2", level: "should", isBreach: false, party: "phone", device: "", number: 1, count: 1,
          expected: "<e>", found: "f", remedy: "r"),
        PictureMatrix.Finding(
          clause: "A-3", level: "must", isBreach: true, party: "phone", device: "", number: 0, count: 1,
          expected: "e", found: "f", remedy: "r"),
      ], notExercisedCount: 7)
  }

  @Test("clauses that were broken or are in doubt stand open, those that were held folded, and then each finding")
  func clauses() {
    var picture = Self.picture()
    picture.matrix = Self.matrix()
    let heads = #"""
      <div class="wide" tabindex="0"><table class="matrix">
      <thead><tr><th scope="col">clause</th><th scope="col">level</th>\#
      <th scope="col">&lt;tv&gt;<small>device</small><small>192.168.1.20</small></th>\#
      <th scope="col">phone<small>control point</small><small></small></th></tr></thead>
      <tbody>

      """#
    let table = #"""
      <section id="clauses">
      <h2>Clauses</h2>
      <p class="note">1 held wherever they were exercised, 3 broken or in doubt, 7 not exercised. \#
      ✘ broken, ? in doubt, ✓ held, · not exercised; each with its occasions. A cell leads to its first frame.</p>
      \#(heads)\#
      <tr><th scope="row">A-1<small>a &lt; b</small></th><td>must</td>\#
      <td class="bad"><span class="jump" data-number="5">✘ 3</span></td><td>·</td></tr>
      <tr><th scope="row">A-2<small>a &lt; b</small></th><td>must</td>\#
      <td>·</td><td class="open"><span class="jump" data-number="1">? 2</span></td></tr>
      <tr><th scope="row">A-3<small>a &lt; b</small></th><td>must</td>\#
      <td class="good">✓ <small>4</small></td><td class="bad">✘ 1</td></tr>
      </tbody>
      </table></div>
      <details><summary>1 clauses that were held</summary>
      \#(heads)\#
      <tr><th scope="row">A-4<small>a &lt; b</small></th><td>must</td>\#
      <td class="good">✓ <small>2</small></td><td>·</td></tr>
      </tbody>
      </table></div>
      </details>
      <h3>Findings</h3>
      <div class="wide" tabindex="0"><table class="findings">
      <thead><tr><th scope="col"></th><th scope="col">clause</th><th scope="col">party</th>\#
      <th scope="col">where</th><th scope="col">what</th></tr></thead>
      <tbody>
      <tr><td class="bad">✘</td><th scope="row">A-1<small>must</small></th>\#
      <td>&lt;tv&gt;<br><small>uuid:&lt;a&gt;</small></td>\#
      <td><span class="jump problem" data-number="5">frame 5</span><br><small>2 times</small></td>\#
      <td><small>expected</small> e &amp; f<br><small>found</small> &lt;f&gt;\#
      <br><small>remedy</small> &#39;r&#39;</td></tr>
      <tr><td class="open">?</td><th scope="row">A-2<small>should</small></th><td>phone</td>\#
      <td><span class="jump" data-number="1">frame 1</span></td><td><small>in doubt</small> &lt;e&gt;</td></tr>
      <tr><td class="bad">✘</td><th scope="row">A-3<small>must</small></th><td>phone</td><td>at the end</td>\#
      <td><small>expected</small> e<br><small>found</small> f<br><small>remedy</small> r</td></tr>
      </tbody>
      </table></div>
      </section>

      """#
    expectEqual(PictureTablesHTML.body(picture), Self.head + table + Self.end)
  }

  // MARK: - Of a campaign

  private static func campaign() -> CampaignPicture {
    CampaignPicture(
      title: "<plan>", outcome: Picture.Outcome("2 runs passed", .good), facts: [Picture.Fact("runs", "2")],
      curves: nil, table: nil, failures: [], happenings: [], again: "rollcall run --set 'a'", plan: [], leftOut: [])
  }

  private static let campaignHead = #"""
    <header>
    <p class="verb">rollcall campaign</p>
    <h1>&lt;plan&gt;</h1>
    <p class="verdict good">2 runs passed</p>
    <dl class="facts">
    <div><dt>runs</dt><dd>2</dd></div>
    </dl>
    </header>
    <main>
    <div id="tools" class="tools"></div>

    """#

  /// The section of events that happened.
  private static func happened(_ never: Int, _ count: Int, _ rows: String) -> String {
    #"""
    <section id="facts">
    <h2>What happened</h2>
    <p class="note">\#(never) of \#(count) never did. Of each the first run is named; \#
    <code>rollcall run --set &#39;a&#39;</code> repeats it.</p>
    <div class="wide" tabindex="0"><table class="numbers">
    <thead><tr><th scope="col">fact</th><th scope="col">runs</th><th scope="col">share</th>\#
    <th scope="col">first</th><th scope="col"></th></tr></thead>
    <tbody>
    \#(rows)</tbody>
    </table></div>
    </section>

    """#
  }

  @Test("the page of a campaign has curves, events, plan and counts left out, and no empty section")
  func campaigns() {
    var picture = Self.campaign()
    expectEqual(CampaignTablesHTML.body(picture), Self.campaignHead + Self.happened(0, 0, "") + "</main>\n")
    picture.curves = "<svg></svg>\n"
    picture.table = CampaignPicture.CurveTable(
      heads: ["loss < 1", "found"], rows: [["curve & more"], ["0%", "'1'"], ["50%", "2"]])
    func happening(_ name: String, _ count: Int?, isProblem: Bool) -> CampaignPicture.Happening {
      CampaignPicture.Happening(
        name: name, about: "a & b", count: count, share: "1 %", first: "<seed 1>", isProblem: isProblem)
    }
    picture.happenings = [
      happening("lost", 3, isProblem: false), happening("<doubled>", nil, isProblem: true),
      happening("late", nil, isProblem: false),
    ]
    picture.plan = ["scenario: <x>", "duration: 1s"]
    picture.leftOut = [Picture.LeftOut(what: "lines of the plan", count: 2)]
    let curves = #"""
      <section id="curves">
      <h2>Curves</h2>
      <svg></svg>
      <div class="wide" tabindex="0"><table class="numbers">
      <thead><tr><th scope="col">loss &lt; 1</th><th scope="col">found</th></tr></thead>
      <tbody>
      <tr><th scope="colgroup" colspan="2">curve &amp; more</th></tr>
      <tr><th scope="row">0%</th><td>&#39;1&#39;</td></tr>
      <tr><th scope="row">50%</th><td>2</td></tr>
      </tbody>
      </table></div>
      </section>

      """#
    let rows = #"""
      <tr><th scope="row">lost</th><td class="good">✓ 3</td>\#
      <td>1 %</td><td>&lt;seed 1&gt;</td><td>a &amp; b</td></tr>
      <tr class="problem" tabindex="-1"><th scope="row">&lt;doubled&gt;</th><td class="bad">✘ never</td>\#
      <td>1 %</td><td>&lt;seed 1&gt;</td><td>a &amp; b</td></tr>
      <tr><th scope="row">late</th><td>never</td>\#
      <td>1 %</td><td>&lt;seed 1&gt;</td><td>a &amp; b</td></tr>

      """#
    let rest = #"""
      <section id="plan">
      <h2>Plan</h2>
      <details><summary>the scenario and its sweep</summary>
      <pre>scenario: &lt;x&gt;
      duration: 1s</pre>
      </details>
      </section>
      <section id="left-out">
      <h2>Left out</h2>
      <ul>
      <li>2 lines of the plan</li>
      </ul>
      </section>
      </main>

      """#
    expectEqual(
      CampaignTablesHTML.body(picture), Self.campaignHead + curves + Self.happened(2, 3, rows) + rest)
  }
}
