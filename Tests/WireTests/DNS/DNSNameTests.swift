import RollcallExpectations
import RollcallWire
import Testing

@Suite struct DNSNameTests {
  @Test("Only the letters A to Z are compared without their case")
  func letters() {
    let (small, large) = (DNSName("a.longer-name.local")!, DNSName("A.LONGER-NAME.Local")!)
    expectEqual(small, large)
    expectEqual(small.hashValue, large.hashValue)
    #expect(!small.isIdentical(to: large) && small.isIdentical(to: DNSName("a.longer-name.local")!))
    // `@` and the grave accent, `[` and `{`, É and é: a bit apart, and no letters of ASCII.
    for (left, right) in [("@", "`"), ("[", "{"), ("É", "é"), ("a", "b")] {
      #expect(DNSName(labels: [left])! != DNSName(labels: [right])!)
    }
    expectEqual(DNSName("Z")!, DNSName("z")!)
    expectEqual(DNSName("A")!, DNSName("a")!)
  }

  @Test("Names are in one order whatever the case of their letters")
  func order() {
    let names = ["b", "A", "a.b", "C", "aa"].map { DNSName($0)! }
    expectEqual(names.sorted().map(\.description), ["A", "a.b", "b", "C", "aa"])
    #expect(!(DNSName("a")! < DNSName("A")!) && !(DNSName("A")! < DNSName("a")!))
    #expect(DNSName.root < DNSName("a")!)
  }

  @Test("Labels are taken off and put on, up to 63 bytes each and 255 in all")
  func building() {
    let long = String(repeating: "x", count: 63)
    let name = DNSName("a.b")!
    expectEqual(name.parent, DNSName("b"))
    expectEqual(name.parent?.parent, .root)
    expectEqual(DNSName.root.parent, nil)
    expectEqual(Array(name.firstLabel), [97])
    expectEqual(Array(DNSName.root.firstLabel), [])
    expectEqual(name.labelCount, 2)
    expectEqual(DNSName.root.labelCount, 0)
    expectEqual(name.labels, [[97], [98]])
    #expect(DNSName.root.isRoot && !name.isRoot)
    #expect(name.adding(long) != nil && name.adding(long + "x") == nil && name.adding("") == nil)
    let three = DNSName(labels: [long, long, long])!
    expectEqual(three.adding(String(repeating: "x", count: 61))?.wire.count, 255)
    expectEqual(three.adding(String(repeating: "x", count: 62)), nil)
    expectEqual(DNSName(labels: [String(repeating: "x", count: 61), long, long, long])?.wire.count, 255)
    expectEqual(DNSName(labels: [String(repeating: "x", count: 62), long, long, long]), nil)
    expectEqual(DNSName(labels: ["a", ""]), nil)
    expectEqual(DNSName(labels: [long + "x"]), nil)
    expectEqual(DNSName(labels: [String]()), .root)
  }

  @Test("A name lies within another only where a label begins")
  func within() {
    let local = DNSName("x.y.LOCAL")!
    #expect(local.isWithin(.root) && local.isWithin(.local) && local.isWithin(DNSName("Y.local")!))
    #expect(local.isWithin(local) && !DNSName.local.isWithin(local))
    // The label ends with the bytes of `local`'s wire form, length included.
    #expect(!DNSName(labels: ["a\u{5}local"])!.isWithin(.local))
    #expect(!DNSName("x.locam")!.isWithin(.local))
  }

  @Test("Text that is no name is refused")
  func refusals() {
    let long = String(repeating: "x", count: 63)
    for text in ["", "..", "a..b", ".a", "a\\", "a\\2", "a\\25", "a\\25x", "a\\256", long + "x"] {
      expectEqual(DNSName(text), nil)
    }
    expectEqual(DNSName(".")?.isRoot, true)
    expectEqual(DNSName("a.")?.labelCount, 1)
    expectEqual(DNSName("\\255\\000\\a\\.")?.labels, [[255, 0, 97, 46]])
    expectEqual(DNSName("\(long).\(long).\(long).\(long.dropLast(2))")?.wire.count, 255)
    expectEqual(DNSName("\(long).\(long).\(long).\(long.dropLast(1))"), nil)
  }

  @Test("Every label is read again from its text")
  func text() {
    for byte in UInt8.min...UInt8.max {
      let name = DNSName(labels: [[97, byte, 0xC3, 0xA9], [byte]])!
      expectEqual(DNSName(name.description)?.wire, name.wire)
    }
    expectEqual(DNSName(labels: [[0xFF, 46]])!.description, "\\255\\.")
    expectEqual(DNSName(labels: ["\u{202E}"])!.description, "\\226\\128\\174")
    expectEqual(DNSName(labels: ["\u{7F} "])!.description, "\\127 ")
    expectEqual(DNSName.root.description, ".")
  }

  @Test("Subtypes stand before _sub, and are any label")
  func subtypes() throws {
    let type = try ServiceType("http", .tcp)
    expectEqual(try type.name(ofSubtype: "_printer".utf8).description, "_printer._sub._http._tcp.local")
    expectEqual(try type.name(ofSubtype: [0, 46]).labels.first, [0, 46])
    #expect(throws: ServiceNameFault.empty) { try type.name(ofSubtype: []) }
    _ = try type.name(ofSubtype: [UInt8](repeating: 97, count: 63))
    #expect(throws: ServiceNameFault.tooLong) { try type.name(ofSubtype: [UInt8](repeating: 97, count: 64)) }
    let long = String(repeating: "x", count: 63)
    let far = try ServiceType("http", .tcp, domain: DNSName(labels: [long, long, long])!)
    #expect(throws: ServiceNameFault.form) { try far.name(ofSubtype: [UInt8](repeating: 97, count: 60)) }
  }

  @Test("A service type is read from its name, and says what is wrong with one")
  func types() throws {
    let type = try ServiceType(DNSName("_Http._TCP.local")!)
    expectEqual(type.name, "Http")
    expectEqual(type.transport, .tcp)
    expectEqual(type.domain, .local)
    expectEqual(try ServiceType(DNSName("_x._udp.example.org")!).domain, DNSName("example.org"))
    for (text, fault) in [
      ("http._tcp.local", ServiceNameFault.noUnderscore), ("_http._sctp.local", .transport), ("_http", .form),
      ("_-a._tcp.local", .hyphenAtEdge), (".", .form),
    ] {
      #expect(throws: fault) { try ServiceType(DNSName(text)!) }
    }
    let instance = try ServiceInstanceName(DNSName("Lamp._x._udp.local")!)
    expectEqual(instance.instance, "Lamp")
    for (label, fault) in [
      ([UInt8](), ServiceNameFault?.some(.empty)), ([0x7F], .controlByte), ([0x20], nil), ([0xFF], .notUTF8),
      ([UInt8](repeating: 97, count: 63), nil), ([UInt8](repeating: 97, count: 64), .tooLong),
    ] {
      expectEqual(ServiceInstanceName.fault(inInstance: label), fault)
    }
  }
}
