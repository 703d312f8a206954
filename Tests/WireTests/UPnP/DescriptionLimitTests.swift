import RollcallExpectations
import RollcallWire
import Testing

@Suite("Limits of the description reader") struct DescriptionLimitTests {
  private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

  private func description(_ inside: String) -> String {
    "<root xmlns='\(DescriptionDocument.namespace)'><specVersion><major>1</major><minor>0</minor></specVersion>"
      + device(inside) + "</root>"
  }
  private func device(_ inside: String) -> String {
    "<device><deviceType>urn:a:device:B:1</deviceType><friendlyName>f</friendlyName><manufacturer>m</manufacturer>"
      + "<modelName>n</modelName><UDN>uuid:1</UDN>\(inside)</device>"
  }
  private let icon =
    "<icon><mimetype>image/png</mimetype><width>1</width><height>1</height><depth>1</depth><url>u</url></icon>"
  private let service =
    "<service><serviceType>urn:a:service:B:1</serviceType><serviceId>urn:a:serviceId:B</serviceId><SCPDURL>s</SCPDURL>"
    + "<controlURL>c</controlURL><eventSubURL>e</eventSubURL></service>"

  private func limit(
    _ reason: String, set: (inout DescriptionReader.Limits) -> Void, _ document: (Int) -> String,
    location: SourceLocation = #_sourceLocation
  ) {
    var limits = DescriptionReader.Limits()
    set(&limits)
    for mode in XMLMode.allCases {
      let good = DescriptionOutcome(document(4), mode, limits)
      #expect(good.fault == nil && good.flaws.isEmpty, "at the limit: \(good.fault ?? "")", sourceLocation: location)
      let bad = DescriptionOutcome(document(5), mode, limits)
      let found = bad.fault ?? bad.flaws.first ?? ""
      #expect(found.hasPrefix(reason + "@"), "above the limit: \(found)", sourceLocation: location)
      expectEqual(bad.fault == nil, reason == "extensionLimit" && mode == .lenient, sourceLocation: location)
    }
  }

  @Test("each limit lets as much pass as it says, and one more is refused; of extensions the rest is kept")
  func each() {
    limit("tooManyDevices", set: { $0.devices = 4 }) {
      description("<deviceList>" + times($0 - 1, device("")) + "</deviceList>")
    }
    limit("tooDeeplyEmbedded", set: { $0.nesting = 4 }) { count in
      description((2...count).reduce("") { inside, _ in "<deviceList>" + device(inside) + "</deviceList>" })
    }
    limit("tooManyServices", set: { $0.services = 4 }) {
      description(
        "<serviceList>" + times($0 - 1, service) + "</serviceList><deviceList>"
          + device("<serviceList>" + service + "</serviceList>") + "</deviceList>")
    }
    limit("tooManyIcons", set: { $0.icons = 4 }) { description("<iconList>" + times($0, icon) + "</iconList>") }
    limit("longValue", set: { $0.valueBytes = 40 }) {
      description("<modelNumber>" + times($0 * 10 - 4, "x") + "<!-- -->  </modelNumber>")
    }
    limit("longValue", set: { $0.valueBytes = 40 }) {
      description("<modelNumber>" + times($0 * 5, "é") + times($0 - 4, "x") + "</modelNumber>")
    }
    limit("extensionLimit", set: { $0.extensions = 4 }) { description(times($0, "<x xmlns='u'>1</x>")) }
    limit("extensionLimit", set: { $0.valueBytes = 40 }) {
      description("<x xmlns='u'>" + times($0 * 10, "y") + "</x>")
    }
    limit("tooManyElements", set: { $0.xml.elements = 14 }) { description(times($0, "<x xmlns='u'/>")) }
  }

  @Test("extensions that have no room are left out, each with a flaw")
  func extensions() {
    var limits = DescriptionReader.Limits()
    (limits.extensions, limits.valueBytes) = (2, 40)
    let long = "<c xmlns='u'>" + times(41, "y") + "</c>"
    let text = description("<a xmlns='u'>1</a>" + long + "<b xmlns='u'>2</b><d xmlns='u'/>" + long)
    let outcome = DescriptionOutcome(text, .lenient, limits)
    expectEqual(outcome.flaws, ["extensionLimit@<c xmlns", "extensionLimit@<d xmlns", "extensionLimit@<c xmlns"])
    expectEqual(
      outcome.document?.root.extensions, [DescriptionSample.own("u", "a", "1"), DescriptionSample.own("u", "b", "2")])
  }

  @Test("without limits of its own a reader takes what devices have many times over")
  func defaults() {
    let limits = DescriptionReader.Limits()
    expectEqual(
      [limits.devices, limits.nesting, limits.services, limits.icons, limits.extensions, limits.valueBytes],
      [64, 8, 256, 128, 128, 4_096])
    expectEqual(limits.xml, XMLReader.Limits())
  }

  @Test("sixty-four flaws are kept, and all are counted")
  func flaws() throws {
    for count in [63, 64, 65, 500] {
      let text = description("<iconList>" + times(count, "<etc/>") + icon + "</iconList>")
      let reading = try DescriptionReader.read(Array(text.utf8), mode: .lenient)
      expectEqual([reading.flaws.count, reading.flawCount], [min(count, 64), count])
    }
  }
}

@Suite("URLs of a description") struct DescriptionURLTests {
  @Test("they are relative to URLBase where it leads somewhere, else to where the description came from")
  func resolved() {
    var document = DescriptionSample.document
    let location = "http://10.0.0.1:80/dir/d.xml"
    for (base, reference, expected) in [
      (nil, "a", "http://10.0.0.1:80/dir/a"), (nil, "/a", "http://10.0.0.1:80/a"), (nil, "http://h/a", "http://h/a"),
      (nil, "", nil), ("http://h:1/b/", "a", "http://h:1/b/a"), ("http://h:1", "a", "http://h:1/a"),
      ("http://h:1/b", "?c", "http://h:1/b?c"), ("", "a", "http://10.0.0.1:80/dir/a"),
      ("http://h:0/", "a", "http://10.0.0.1:80/dir/a"), ("/b/", "a", "http://10.0.0.1:80/dir/a"),
      ("http://h/", "", nil), ("http://h/x/y", "../z", "http://h/z"),
    ] as [(String?, String, String?)] {
      document.urlBase = base
      expectEqual(document.resolved(reference, location: location), expected, "\(base ?? "none") \(reference)")
    }
  }
}
