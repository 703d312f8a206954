import Foundation
import RollcallCapture
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallReplaying
import Testing

/// The page itself: what a hostile capture cannot do to it, and what its program does not do.
@Suite("Pages of pictures") struct PageTests {
  /// Names that end a script, begin markup, turn the direction of writing, or end a line of JavaScript.
  private static let hostile = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"onmouseover=\"alert(3)", "<!--<script>",
    "a\u{2028}b\u{202E}c", "&lt;b&gt;", "]]>", "${alert(4)}", "\\u003cscript>",
  ]

  private static func page() throws -> String {
    var capture = TinyCapture()
    for (place, name) in hostile.enumerated() {
      let message = TinyCapture.alive(
        "\(name)-\(place)", name, location: "http://192.168.1.20/\(name)", more: "X-\(place): \(name)\n")
      capture.add(Double(place), "192.168.1.\(20 + place)", message)
    }
    let file = CapturePicture.Input.File(path: "folder/<b>&\"x") { try capture.reader() }
    let picture = try CapturePicture.picture(
      of: CapturePicture.Input([file]), verb: "rollcall replay", options: ReplayOptions())
    return String(decoding: PictureHTML.bytes(picture), as: UTF8.self)
  }

  /// Tags that no page writes: with attributes that act or load, or in another form.
  static func foreignTags(in markup: String) -> [String] {
    markup.matches(of: /<[^>]*>/).map { String($0.output) }.filter { tag in
      let isOwn = tag.wholeMatch(of: /<\/?[a-z0-9]+(?: [a-zA-Z0-9-]+(?:="[^"<>]*")?)*\/?>/) != nil
      let acts = [" on", " src", " href", " style="].contains { tag.contains($0) }
      return !isOwn || acts || tag.hasPrefix("<img") || tag == "<b>"
    }
  }

  @Test("hostile names are text and never markup, and nothing hidden reaches the page")
  func hostileNames() throws {
    let page = try Self.page()
    let block = try #require(
      page.components(separatedBy: "<script type=\"application/json\" id=\"picture\">").dropFirst().first)
    let json = block.components(separatedBy: "</script>")[0]
    #expect(!json.contains("<") && !json.contains(">") && !json.contains("&"))
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let strings = try #require(object?["strings"] as? [String])
    for name in [Self.hostile[0], Self.hostile[1], Self.hostile[7], "a\\u{2028}b\\u{202e}c"] {
      #expect(strings.contains { $0.contains(name) }, "\(name)")
    }
    #expect(!strings.contains { $0.unicodeScalars.contains(where: PlainText.isHidden) })
    // What is left is the page's own: two scripts, one style, and tags without anything that acts or loads.
    let rest = page.replacing(json, with: "")
    expectEqual(rest.components(separatedBy: "<script").count, 3)
    expectEqual(rest.components(separatedBy: "</script>").count, 3)
    expectEqual(rest.components(separatedBy: "<style").count, 2)
    let tables = try #require(
      rest.components(separatedBy: "</style>").dropFirst().first?.components(separatedBy: "<script").first)
    expectEqual(PageTests.foreignTags(in: tables), [])
    #expect(rest.contains("<h1>&lt;b&gt;&amp;&quot;x</h1>"), "the title is the name of the file")
  }

  @Test("the policy of a page lets its own script and style in by their digests, and nothing else")
  func policy() throws {
    let page = try Self.page()
    func between(_ start: String, _ end: String) throws -> String {
      let tail = try #require(page.components(separatedBy: start).dropFirst().first)
      return tail.components(separatedBy: end)[0]
    }
    let policy = try between("Content-Security-Policy\" content=\"", "\"")
    func digest(_ text: String) -> String {
      "'sha256-" + Data(Array(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }).base64EncodedString() + "'"
    }
    let style = digest(try between("<style>", "</style>"))
    let script = digest(try between("</script>\n<script>", "</script>"))
    expectEqual(
      policy,
      "default-src 'none'; style-src \(style); script-src \(script); base-uri 'none'; form-action 'none'")
  }

  /// How a program makes markup, runs text, asks a network, or comes to something else each time.
  static let ways = [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "createContextualFragment",
    "srcdoc", "eval(", "Function(", "setTimeout(", "setInterval(", "fetch(", "XMLHttpRequest", "WebSocket",
    "EventSource", "sendBeacon", "import(", "localStorage", "document.cookie", "window.open", "location.", "http:",
    "https:", "Math.random", "Date.now",
  ]

  @Test("the program of a page makes no markup, asks for nothing, runs no text, and knows every kind of mark")
  func program() throws {
    let page = try Self.page()
    let script = try #require(page.components(separatedBy: "</script>\n<script>").dropFirst().first)
    expectEqual(PageTests.ways.filter { script.contains($0) }, [])
    for kind in Picture.Mark.Kind.allCases { #expect(script.contains(kind.rawValue), "\(kind)") }
    for state in Picture.Device.State.allCases { #expect(script.contains(state.rawValue), "\(state)") }
  }
}
