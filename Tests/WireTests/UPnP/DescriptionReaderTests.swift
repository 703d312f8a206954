import Foundation
import RollcallExpectations
import RollcallWire
import Testing

@Suite("The description reader") struct DescriptionReaderTests {
  private typealias Sample = DescriptionSample

  /// What lenient makes of it, with these flaws; strict refuses it for the first of them.
  private func reads(
    _ text: String, flaws: String..., location: SourceLocation = #_sourceLocation,
    as change: (inout DescriptionDocument) -> Void = { _ in }
  ) {
    var document = Sample.document
    change(&document)
    expectEqual(
      DescriptionOutcome(text, .lenient), DescriptionOutcome(document: document, flaws: flaws), sourceLocation: location
    )
    let strict =
      flaws.isEmpty ? DescriptionOutcome(document: document) : DescriptionOutcome(document: nil, fault: flaws[0])
    let found = DescriptionOutcome(text, .strict)
    // What is found out at the end, as what a version forbids, comes after what was wrong on the way.
    if let fault = found.fault, flaws.count > 1, flaws.contains(fault) { return }
    expectEqual(found, strict, sourceLocation: location)
  }

  @Test("a description with all that UDA has is read as it is, in both modes, whatever the order is")
  func whole() {
    reads(Sample.text)
    let lines = Sample.text.split(separator: "\n").map(String.init)
    // Lines of the root device that hold one element each.
    let movable = Array(lines[4...14])
    let reversed = lines[..<4] + movable.reversed() + lines[15...]
    reads(reversed.joined(separator: "\n"))
    reads(Sample.text.replacingOccurrences(of: "\n", with: "\r\n"))
    let prefixed = Sample.text.replacingOccurrences(of: "xmlns=", with: "xmlns:u=")
      .replacingOccurrences(of: "</", with: "</u:").replacingOccurrences(of: "<u:", with: "<")
      .replacing(/<(?=[A-Za-wyz])/, with: "<u:").replacing("</u:x:", with: "</x:").replacing(
        "<X_own/>", with: "<u:X_own/>")
    #expect(prefixed.contains("<u:device>"))
    reads(prefixed)
  }

  @Test("what was written is read as the same value, and the writer's bytes are what they were")
  func roundTrip() throws {
    var document = Sample.document
    expectEqual(try DescriptionReader.read(document.bytes, mode: .strict).document, document)
    document.configID = nil
    (document.major, document.minor, document.urlBase) = (1, 0, "http://10.0.0.1:80/base/")
    document.root.friendlyName = "<TV> & \"é\" 'x' \u{202E}\t中"
    document.root.embedded[0].embedded = [document.root, document.root]
    document.root.icons.append(.init(mimeType: "image/jpeg", width: 0, height: 1, depth: 2, url: "i"))
    document.root.extensions += [
      Sample.own("http://www.w3.org/XML/1998/namespace", "x", "1"), Sample.own("a&'\"\n<b>é", "ü", "]]>"),
    ]
    let reading = try DescriptionReader.read(document.bytes, mode: .strict)
    expectEqual(reading, DescriptionReader.Reading(document: document, flaws: [], flawCount: 0))
    expectEqual(Array(document.bytes), reading.document.bytes)
    // An element of no namespace is no extension of UDA.
    document.root.extensions = [Sample.own("", "plain", "x")]
    let lenient = try DescriptionReader.read(document.bytes, mode: .lenient)
    expectEqual(lenient.document, document)
    expectEqual(lenient.flaws.map(\.reason.rawValue), ["unknownElement"])
    for (namespace, name) in [
      ("u", ""), ("u", "1"), ("u", "a b"), ("u", "a:b"), ("http://www.w3.org/2000/xmlns/", "a"),
    ] {
      #expect(DescriptionDocument.Extension(namespace: namespace, name: name, text: "") == nil)
    }
  }

  @Test("a namespace that is wrong, or none, is a flaw for lenient, and elements without one count among those of UDA")
  func namespaces() {
    reads(Sample.text("urn:schemas-upnp-org:device-1-0", "urn:made-up"), flaws: "namespace@<root xmlns") {
      $0.root.extensions[1] = Sample.own("urn:made-up", "X_own", "")
    }
    reads(Sample.text(" xmlns=\"urn:schemas-upnp-org:device-1-0\"", ""), flaws: "namespace@<root xmlns:x") {
      $0.root.extensions[1] = Sample.own("", "X_own", "")
    }
    reads(Sample.text("<UPC>", "<UPC xmlns=\"\">"), flaws: "namespace@<UPC xmlns")
    reads(Sample.text("<UPC>", "<UPC xmlns=\"urn:schemas-upnp-org:device-1-0\">"))
    let half = Sample.text("urn:schemas-upnp-org:device-1-0", "urn:made-up")
      .replacingOccurrences(of: "<UPC>", with: "<UPC xmlns=\"urn:schemas-upnp-org:device-1-0\">")
    reads(half, flaws: "namespace@<root xmlns") { $0.root.extensions[1] = Sample.own("urn:made-up", "X_own", "") }
    // In a namespace of its own it is somebody else's element.
    reads(Sample.text("<UPC>123456789012</UPC>", "<UPC xmlns='urn:y'>1</UPC>")) {
      $0.root.upc = nil
      $0.root.extensions.insert(Sample.own("urn:y", "UPC", "1"), at: 0)
    }
    reads(Sample.text("<UPC>123456789012</UPC>", "<y:UPC>1</y:UPC>"), flaws: "unboundPrefix@y:UPC") {
      $0.root.upc = nil
      $0.root.extensions.insert(Sample.own("y", "UPC", "1"), at: 0)
    }
  }

  @Test("names with other capitals count, noted; other names are extensions, noted where UDA would have them")
  func names() {
    reads(
      Sample.text("<UDN>", "<udn>").replacingOccurrences(of: "1</UDN>", with: "1</udn>"), flaws: "elementCase@<udn")
    reads(
      Sample.text("<root ", "<Root ").replacingOccurrences(of: "</root>", with: "</Root>"),
      flaws: "elementCase@<Root xmlns")
    reads(Sample.text("<UPC>", "<etc>e</etc>\n<UPC>"), flaws: "unknownElement@<etc") {
      $0.root.extensions.insert(Sample.own(DescriptionDocument.namespace, "etc", "e"), at: 0)
    }
    // An element of UDA in a place that is not its own.
    reads(Sample.text("<UPC>", "<url>e</url>\n<UPC>"), flaws: "unknownElement@<url") {
      $0.root.extensions.insert(Sample.own(DescriptionDocument.namespace, "url", "e"), at: 0)
    }
    // In services and icons nothing is kept.
    reads(Sample.text("<SCPDURL>", "<x:y>1<x:z/></x:y><SCPDURL>"))
    reads(Sample.text("<width>", "<id>1<y/></id><width>"), flaws: "unknownElement@<id")
  }

  @Test("of elements that UDA has once the first one counts, and nothing of the others")
  func repeated() {
    reads(Sample.text("<UPC>", "<friendlyName>C</friendlyName>\n<UPC>"), flaws: "repeatedElement@<friendlyName")
    reads(
      Sample.text("<deviceList>", "<serviceList><service/><service/></serviceList>\n<deviceList>"),
      flaws: "repeatedElement@<serviceList")
    reads(Sample.text("<x:more>", "<device/><x:more>"), flaws: "repeatedElement@<device/")
  }

  @Test("what UDA requires and is not there is noted at the end of the element that should have it")
  func missing() {
    reads(Sample.text("<manufacturer>M</manufacturer>\n", ""), flaws: "missingElement@</device") {
      $0.root.manufacturer = ""
    }
    reads(Sample.text("<manufacturer>M<", "<manufacturer> <"), flaws: "emptyElement@<manufacturer") {
      $0.root.manufacturer = ""
    }
    reads(Sample.text("<depth>24</depth>", ""), flaws: "missingElement@</icon") { $0.root.icons[0].depth = nil }
    reads(Sample.text("<eventSubURL></eventSubURL>\n", ""), flaws: "missingElement@</service")
    reads(Sample.text("<SCPDURL>/a.xml<", "<SCPDURL><"), flaws: "emptyElement@<SCPDURL") {
      $0.root.services[0].descriptionPath = ""
    }
    let spec = "<specVersion><major>1</major><minor>1</minor></specVersion>\n"
    reads(Sample.text(spec, ""), flaws: "missingElement@</root") { $0.minor = 0 }
    reads(Sample.text("<minor>1</minor>", ""), flaws: "missingElement@</specVersion") { $0.minor = 0 }
    // What need not be there.
    reads(Sample.text("<modelURL>/model</modelURL>\n", "")) { $0.root.modelURL = nil }
    reads(Sample.text("<modelURL>/model<", "<modelURL><")) { $0.root.modelURL = "" }
  }

  @Test("a list has entries, text has no elements, and between elements there is no text")
  func content() {
    reads(
      Sample.text("<deviceList>", "<deviceList><!-- -->").replacing(
        /<device>\n<deviceType>urn:x-org[^!]*?<\/device>\n/, with: ""),
      flaws: "emptyList@<deviceList"
    ) { $0.root.embedded = [] }
    reads(Sample.text("<serialNumber>S<", "<serialNumber>S<b>x</b> T <!-- c -->U<"), flaws: "elementInText@<b") {
      $0.root.serialNumber = "S T U"
    }
    reads(Sample.text("<UPC>", "text\n<UPC>"), flaws: "strayText@<UPC") { _ in }
  }

  @Test("a version, configId and URLBase that UDA does not have are noted")
  func versions() {
    func version(_ major: String, _ minor: String) -> String {
      Sample.text("<major>1</major><minor>1</minor>", "<major>\(major)</major><minor>\(minor)</minor>")
    }
    reads(version("2", "0")) { ($0.major, $0.minor) = (2, 0) }
    reads(version("1", "0")) { $0.minor = 0 }
    reads(version("1", "2"), flaws: "version@<specVersion") { $0.minor = 2 }
    reads(version("3", "0"), flaws: "version@<specVersion") { ($0.major, $0.minor) = (3, 0) }
    reads(version("1", "x"), flaws: "version@<minor") { $0.minor = 0 }
    reads(version("1234", "1"), flaws: "version@<major") { $0.minor = 0 }
    reads(Sample.text(" configId=\"7\"", ""), flaws: "configID@<root xmlns") { $0.configID = nil }
    let text10 = version("1", "0")
    reads(text10.replacingOccurrences(of: " configId=\"7\"", with: "")) { ($0.minor, $0.configID) = (0, nil) }
    reads(Sample.text("\"7\"", "\"2147483647\"")) { $0.configID = 2_147_483_647 }
    for bad in ["2147483648", "", "-1", " 7", "x", "99999999999"] {
      reads(Sample.text("\"7\"", "\"\(bad)\""), flaws: "configID@configId") { $0.configID = nil }
    }
    reads(Sample.text("configId", "configID"), flaws: "configIDName@configID")
    reads(Sample.text("configId", "x:configId"), flaws: "configIDName@x:configId")
    reads(Sample.text("configId=\"7\"", "configId=\"7\" x:configId=\"8\""))
    reads(Sample.text("configId=\"7\"", "configId=\"7\" a=\"8\""), flaws: "unknownAttribute@a")
    reads(Sample.text("<UPC>", "<UPC b=\"8\" x:c=\"9\">"), flaws: "unknownAttribute@b")
    func base(_ url: String) -> String {
      text10.replacingOccurrences(
        of: "<device>\n<deviceType>urn:schemas", with: "<URLBase>\(url)</URLBase><device>\n<deviceType>urn:schemas")
    }
    reads(base("http://h:1/x")) { ($0.minor, $0.urlBase) = (0, "http://h:1/x") }
    for bad in ["", "/x", "http://h:0/", "ftp://h/"] {
      reads(base(bad), flaws: "urlBase@<URLBase") { ($0.minor, $0.urlBase) = (0, bad) }
    }
    reads(base("http://h/").replacingOccurrences(of: "<minor>0", with: "<minor>1"), flaws: "urlBaseForbidden@<URLBase")
    {
      $0.urlBase = "http://h/"
    }
  }

  @Test("types, ids, UDNs, URLs and sizes have the form of UDA, or are noted and kept as they stand")
  func values() {
    let type = "urn:schemas-upnp-org:device:Basic:1"
    for bad in [
      "urn:schemas-upnp-org:device:Basic", "RootDevice:1", "urn:a.b:device:Basic:1", "urn:a:service:B:1",
      "urn:a:device:B:1-0", "urn:a:device:B:", "urn:a:device::1", "urn::device:B:1", "URN:a:device:B:1",
      "urn:a:device:B:C:1",
      "urn:a:device:B:1234567890",
    ] {
      reads(Sample.text(type, bad), flaws: "badType@<deviceType") { $0.root.type = bad }
    }
    for good in ["urn:a:device:B:1", "urn:a-com:device:B_c:123456789"] {
      reads(Sample.text(type, good)) { $0.root.type = good }
    }
    reads(Sample.text("urn:schemas-upnp-org:service:A:1", "urn:a:device:A:1"), flaws: "badType@<serviceType") {
      $0.root.services[0].type = "urn:a:device:A:1"
    }
    for bad in [
      "A", "urn:upnp-org:service:A", "urn:upnp-org:serviceId:A:1", "urn:upnp.org:serviceId:A", "urn:a:serviceId:",
    ] {
      reads(Sample.text("urn:upnp-org:serviceId:A", bad), flaws: "badServiceID@<serviceId") {
        $0.root.services[0].id = bad
      }
    }
    let udn = "uuid:00000000-0000-0000-0000-000000000001"
    for bad in [
      "uuid:", "00000000-0000-0000-0000-000000000001", "UUID:00000000-0000-0000-0000-000000000001", "uuid:a b",
    ] {
      for text in [Sample.text, Sample.text("<minor>1", "<minor>0")] {
        reads(text.replacingOccurrences(of: udn, with: bad), flaws: "badUDN@<UDN") {
          $0.root.udn = bad
          if text.contains("<minor>0") { $0.minor = 0 }
        }
      }
    }
    for odd in [
      "uuid:x", "uuid:00000000-0000-0000-0000-00000000000", "uuid:0000000g-0000-0000-0000-000000000001",
      "uuid:00000000x0000-0000-0000-000000000001",
    ] {
      reads(Sample.text(udn, odd), flaws: "badUDN@<UDN") { $0.root.udn = odd }
      reads(Sample.text("<minor>1", "<minor>0").replacingOccurrences(of: udn, with: odd)) {
        ($0.minor, $0.root.udn) = (0, odd)
      }
    }
    // That of each device is looked at.
    let both = Sample.text(udn, "uuid:x")
      .replacingOccurrences(of: "uuid:00000000-0000-0000-0000-00000000000f", with: "uuid:y")
    reads(both, flaws: "badUDN@<UDN", "badUDN@<UDN") {
      ($0.root.udn, $0.root.embedded[0].udn) = ("uuid:x", "uuid:y")
    }
    for bad in ["a b", "é", "a\\b", "&lt;", "&quot;", "^", "`", "{", "|", "}", "&gt;"] {
      let read = bad.replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
        .replacingOccurrences(of: "&quot;", with: "\"")
      reads(Sample.text("<modelURL>/model", "<modelURL>\(bad)"), flaws: "badURL@<modelURL") { $0.root.modelURL = read }
    }
    reads(Sample.text("<width>48", "<width>x"), flaws: "badNumber@<width") { $0.root.icons[0].width = nil }
    reads(Sample.text("<width>48", "<width>"), flaws: "emptyElement@<width") { $0.root.icons[0].width = nil }
    reads(Sample.text("<width>48", "<width>999999999")) { $0.root.icons[0].width = 999_999_999 }
    reads(Sample.text("<width>48", "<width>1000000000"), flaws: "badNumber@<width") { $0.root.icons[0].width = nil }
    reads(Sample.text("image/png", "text/png"), flaws: "badMimeType@<mimetype") {
      $0.root.icons[0].mimeType = "text/png"
    }
    reads(Sample.text("image/png", "IMAGE/x")) { $0.root.icons[0].mimeType = "IMAGE/x" }
    reads(Sample.text("image/png", "image/"), flaws: "badMimeType@<mimetype") { $0.root.icons[0].mimeType = "image/" }
  }

  @Test("flaws of XML and of UDA are in one list, by place")
  func order() {
    let text = Sample.text("<UPC>", "<etc/>&<UPC>").replacingOccurrences(of: "</root>", with: "</root>x")
    reads(text, flaws: "unknownElement@<etc/", "ampersand@&<UPC", "strayText@<UPC", "textOutsideRoot@x") {
      $0.root.extensions.insert(Sample.own(DescriptionDocument.namespace, "etc", ""), at: 0)
    }
  }

  @Test("what is no description is refused in both modes, with the fault of XML where it is no XML")
  func refused() {
    for (text, fault) in [
      ("status=ok", "noRoot@"), ("", "noRoot@"),
      ("<scpd xmlns='urn:schemas-upnp-org:service-1-0'/>", "notADescription@<scpd xmlns"),
      (
        "<root xmlns='\(DescriptionDocument.namespace)'><specVersion><major>1</major><minor>0</minor></specVersion></root>",
        "noDevice@</root"
      ),
      ("<root><a></b></root>", "mismatchedTag@</b"), ("<!DOCTYPE root><root/>", "doctype@<!DOCTYPE root"),
    ] {
      expectEqual(DescriptionOutcome(text, .lenient), DescriptionOutcome(document: nil, fault: fault))
      let strict = DescriptionOutcome(text, .strict).fault
      #expect(strict == fault || strict == "textOutsideRoot@status" || strict == "namespace@<root", "\(text)")
    }
    let cut = String(Sample.text.dropLast(9))
    expectEqual(DescriptionOutcome(cut, .lenient).fault, "cutShort@")
  }

  @Test("a reason has one word in JSON, and a word has one reason")
  func reasons() {
    typealias Reason = DescriptionFault.Reason
    let words = Reason.allCases.map(\.rawValue)
    expectEqual(Set(words).count, words.count)
    expectEqual(words.count, XMLFault.Reason.allCases.count + DescriptionFault.Rule.allCases.count)
    expectEqual(words.map { Reason(rawValue: $0) }, Reason.allCases)
    #expect(Reason(rawValue: "nothing") == nil)
  }

  @Test("a fault says for people what was expected and what was found")
  func words() throws {
    func words(_ text: String) -> String? {
      do throws(DescriptionFault) { _ = try DescriptionReader.read(Array(text.utf8), mode: .strict) } catch {
        return error.description
      }
      return nil
    }
    expectEqual(words("<a/>"), "line 1, column 1 (byte 0): expected the element “root”, found “a”")
    expectEqual(
      words(
        Sample.text("<manufacturer>M</manufacturer>\n", "").replacingOccurrences(
          of: "\n<x:cap>a<x:b>c</x:b> d</x:cap>", with: "")),
      "line 38, column 1 (byte 1203): expected “manufacturer” in “device”, found none")
  }
}
