import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallRunning
import Testing

@Suite("Taking names out of captures")
struct AnonymiserTests {
  @Test("addresses stay of their kind and length, and on a network of their own")
  func addresses() {
    var anonymiser = Anonymiser()
    func mapped(_ text: String) -> String { anonymiser.address(IPAddress(text)!).description }
    let (a, b, c) = (mapped("192.168.1.20"), mapped("192.168.1.21"), mapped("192.168.7.20"))
    expectEqual([a, b, c], ["192.168.2.20", "192.168.2.21", "192.168.3.20"])
    expectEqual(mapped("192.168.1.20"), a)
    expectEqual(mapped("10.22.33.4"), "10.20.20.2")
    expectEqual(mapped("172.16.200.9"), "172.16.110.2")
    expectEqual(mapped("169.254.10.11"), "169.254.20.20")
    for kept in ["239.255.255.250", "255.255.255.255", "127.0.0.1", "0.0.0.0", "ff02::c", "::1"] {
      expectEqual(mapped(kept), kept)
    }
    let link = mapped("fe80::21e:c2ff:fe1b:2a3")
    #expect(link.hasPrefix("fe80::") && link.utf8.count == "fe80::21e:c2ff:fe1b:2a3".utf8.count)
    #expect(link != "fe80::21e:c2ff:fe1b:2a3")
  }

  @Test("a message keeps its length and its form; the same name is the same everywhere")
  func payload() {
    var anonymiser = Anonymiser()
    let message =
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
      + "LOCATION: http://192.168.1.20:49152/0017880a1b2c/description.xml\r\nSERVER: Linux/2.6.32 UPnP/1.0 IpBridge/1.26.0\r\n"
      + "hue-bridgeid: 001788FFFE0A1B2C\r\nNT: upnp:rootdevice\r\n"
      + "USN: uuid:2f402f80-da50-11e1-9b23-0017880a1b2c::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 1417617341\r\n\r\n"
    let result = anonymiser.text(message)
    expectEqual(result.utf8.count, message.utf8.count)
    let lines = result.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    expectEqual(lines[0], "NOTIFY * HTTP/1.1")
    expectEqual(lines[1], "HOST: 239.255.255.250:1900")
    expectEqual(lines[2], "CACHE-CONTROL: max-age=1800")
    expectEqual(lines[4], "SERVER: Linux/2.6.32 UPnP/1.0 IpBridge/1.26.0")
    expectEqual(lines[8], "BOOTID.UPNP.ORG: 1417617341")
    #expect(!result.contains("0017880a1b2c") && !result.contains("0A1B2C") && !result.contains("2f402f80"))
    #expect(lines[3].hasPrefix("LOCATION: http://192.168.2.20:49152/00"))
    // The hardware address is the same in the path and at the end of the UUID.
    let tail = lines[7].dropLast("::upnp:rootdevice".count).suffix(12)
    #expect(lines[3].contains("/\(tail)/"))
    // Version and variant of the UUID stay.
    expectEqual(lines[7].dropFirst("USN: uuid:".count + 14).first, "1")
    expectEqual(anonymiser.text(message), result)
  }

  @Test("serial numbers in UUIDs, host names and names that people gave are replaced, product names are not")
  func words() {
    var anonymiser = Anonymiser()
    let usn = anonymiser.text("USN: uuid:RINCON_B8E93781F00201400::urn:schemas-upnp-org:device:ZonePlayer:1\r\n")
    #expect(usn.hasPrefix("USN: uuid:RINCON_") && usn.hasSuffix("::urn:schemas-upnp-org:device:ZonePlayer:1\r\n"))
    #expect(!usn.contains("B8E93781F002"))
    let location = anonymiser.text("LOCATION: http://annas-nas.fritz.box:8200/rootDesc.xml\r\n")
    expectEqual(location, "LOCATION: http://host1xxxx.fritz.box:8200/rootDesc.xml\r\n")
    expectEqual(anonymiser.text("CPFN.UPNP.ORG: Anna's Phone 2\r\n"), "CPFN.UPNP.ORG: Nnnn'n Nnnnn 0\r\n")
    #expect(anonymiser.text("X-Mac: 00:17:88:0a:1b:2c\r\n") != "X-Mac: 00:17:88:0a:1b:2c\r\n")
    let broken: [UInt8] = [0x4C, 0x3A, 0xFF, 0x61, 0x31]
    expectEqual(anonymiser.payload(broken).count, 5)
    // The first line of what is no message of discovery names as well as any other.
    let greeting = anonymiser.text("HELLO Annas-Phone 192.168.1.20\r\n")
    #expect(!greeting.contains("Anna") && !greeting.contains("192.168.1.20"), "\(greeting)")
    for line in ["NOTIFY * HTTP/1.1\r\n", "M-SEARCH * HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\n"] {
      expectEqual(anonymiser.text(line), line)
    }
  }

  // MARK: Two are never one

  private func value(_ anonymiser: inout Anonymiser, _ field: String, _ value: String) -> String {
    let lines = anonymiser.text("NOTIFY * HTTP/1.1\r\n\(field): \(value)\r\n").split(separator: "\r\n")
    return String(lines.last?.dropFirst(field.count + 2) ?? "")
  }

  /// Every one of these becomes another, none stays what it is, and all stand for the same thing when asked again.
  private func expectDistinct(
    _ field: String, _ values: [String], canStay: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var anonymiser = Anonymiser()
    let results = values.map { value(&anonymiser, field, $0) }
    expectEqual(Set(results.map { $0.lowercased() }).count, values.count, "\(results)", sourceLocation: sourceLocation)
    if !canStay {
      #expect(zip(values, results).allSatisfy { $0 != $1 }, "\(results)", sourceLocation: sourceLocation)
    }
    #expect(
      zip(values, results).allSatisfy { $0.utf8.count == $1.utf8.count }, "\(results)", sourceLocation: sourceLocation)
    expectEqual(values.map { value(&anonymiser, field, $0) }, results, sourceLocation: sourceLocation)
  }

  @Test("names that differ in one digit, in one letter or in nothing but a version become names that differ")
  func distinctUUIDs() {
    expectDistinct("USN", (1...9).map { "uuid:lamp-\($0)" })
    // All nine single digits are taken by each other, so that the last has to stay.
    expectDistinct("USN", (1...9).map { "uuid:\($0)" }, canStay: true)
    expectDistinct("USN", (10...99).map { "uuid:lamp-\($0)::upnp:rootdevice" }, canStay: true)
    expectDistinct("USN", "abcdef".map { "uuid:\($0)" }, canStay: true)
    expectDistinct("USN", "ghijklmnopqrstuvwxyz".map { "uuid:\($0)" }, canStay: true)
    expectDistinct("USN", ["kitchen", "bedroom", "hall", "halt", "a-b", "a-c", "lamp"].map { "uuid:\($0)" })
    expectDistinct("USN", (0..<16).map { "uuid:2fac1234-31f8-\(String($0, radix: 16))1b4-a222-08002b34c003" })
    expectDistinct(
      "USN", (0..<16).map { "uuid:2fac1234-\(String($0, radix: 16))1f8-11b4-\(String($0, radix: 16))222-08002b34c003" })
    expectDistinct(
      "USN",
      (0..<256).map { "uuid:00000000-0000-1\(String(0x1000 + $0, radix: 16).dropFirst())-8000-000000000000" },
      canStay: true)
  }

  @Test("a name is the same in any case, and is written in the case that it had")
  func cases() {
    var anonymiser = Anonymiser()
    let small = value(&anonymiser, "USN", "uuid:2fac1234-31f8-11b4-a222-08002b34c0fe")
    expectEqual(
      value(&anonymiser, "USN", "uuid:2FAC1234-31F8-11B4-A222-08002B34C0FE"),
      "uuid:"
        + small.dropFirst(5).uppercased())
    expectEqual(value(&anonymiser, "USN", "UUID:2fac1234-31f8-11b4-a222-08002b34c0fe").dropFirst(5), small.dropFirst(5))
    let mixed = value(&anonymiser, "USN", "uuid:Kitchen-LAMP")
    #expect(mixed.dropFirst(5).prefix(1).first?.isUppercase == true && mixed.suffix(4).allSatisfy(\.isUppercase))
    expectEqual(value(&anonymiser, "NT", "uuid:kitchen-lamp"), mixed.lowercased())
    let host = value(&anonymiser, "LOCATION", "http://Annas-NAS.local/d.xml")
    expectEqual(value(&anonymiser, "LOCATION", "http://annas-nas.local/d.xml"), host)
  }

  @Test("addresses that differ become addresses that differ, and none that means something else")
  func distinctAddresses() {
    func expectDistinct(_ list: [String], sourceLocation: SourceLocation = #_sourceLocation) {
      var anonymiser = Anonymiser()
      let results = list.map { anonymiser.address(IPAddress($0)!) }
      expectEqual(Set(results).count, list.count, sourceLocation: sourceLocation)
      for (old, new) in zip(list, results) {
        let old = IPAddress(old)!
        #expect(old.isLoopback == new.isLoopback && old.isMulticast == new.isMulticast, sourceLocation: sourceLocation)
        #expect(old.isLinkLocal == new.isLinkLocal && !new.isUnspecified, sourceLocation: sourceLocation)
      }
      expectEqual(list.map { anonymiser.address(IPAddress($0)!) }, results, sourceLocation: sourceLocation)
    }
    expectDistinct((1...9).map { "fe80::\($0)" })
    expectDistinct((1...9).map { "::\($0)" })
    expectDistinct((1...15).map { "2001:db8::\(String($0, radix: 16))" })
    expectDistinct((0..<256).map { "fe80::21e:c2ff:fe1b:\(String($0, radix: 16))" })
    expectDistinct((0..<256).map { "2001:db8:\(String($0, radix: 16)):1::1" })
    expectDistinct((0...255).map { "192.168.1.\($0)" })
    expectDistinct((0...255).map { "10.0.\($0).7" })
    // Every first octet that somebody may have: those with a meaning are not enough to stand in for all.
    let firsts = (1...223).filter { $0 != 127 } + Array(240...254)
    expectDistinct(firsts.map { "\($0).7.7.7" })
  }

  @Test("nothing stays of names in hosts, paths, queries, products, targets and fields that nobody knows")
  func complete() {
    var anonymiser = Anonymiser()
    var message =
      "NOTIFY * HTTP/1.1\r\nLOCATION: http://anna:geheim@annas-nas.lan:8080/annas-tv/rootDesc.xml?owner=Anna%20Smith\r\n"
    message += "SERVER: Linux/6.1 UPnP/1.0 Annas-Laptop (Smith) gssdp/1.6 wohnzimmer/2\r\n"
    message += "X-Room: Wohnzimmer Küche\r\nNT: smith-thing\r\nUSN: uuid:smith-küche::smith-thing\r\n"
    message += "CPFN.UPNP.ORG: Anna\r\n of the Smiths\r\n\r\n"
    let all = anonymiser.text(message)
    // A word that is known from elsewhere is replaced as a product, too: the second time all are known.
    let again = anonymiser.text(message)
    for name in ["anna", "smith", "geheim", "laptop", "küche", "nas."] {
      #expect(!again.lowercased().contains(name), "\(name) in \(again)")
    }
    #expect(!again.lowercased().contains("wohnzimmer"))
    #expect(all.utf8.count == message.utf8.count && again.utf8.count == message.utf8.count)
    #expect(again.contains(".lan:8080/") && again.contains("/rootDesc.xml?") && again.contains("%20"))
    #expect(again.contains("SERVER: Linux/6.1 UPnP/1.0 ") && again.contains(" gssdp/1.6 "))
    // NT and the end of the USN are still the same.
    let lines = again.split(separator: "\r\n").map(String.init)
    let target = lines.first { $0.hasPrefix("NT: ") }?.dropFirst(4) ?? ""
    #expect(lines.contains { $0.hasPrefix("USN: uuid:") && $0.hasSuffix("::" + target) })
  }

  @Test("host names, paths and names that people gave that differ become others that differ")
  func distinctWords() {
    let labels = [
      "nas", "tv1", "tv2", "tv3", "a", "b", "c", "host1", "host2", "annas-nas", "peter-nas", "nas-1", "nas-2",
    ]
    expectDistinct("LOCATION", labels.map { "http://\($0)/d.xml" }, canStay: true)
    expectDistinct("LOCATION", labels.map { "http://\($0).fritz.box/d.xml" }, canStay: true)
    expectDistinct("LOCATION", (1...40).map { "http://printer\($0).lan:80/description.xml" }, canStay: true)
    expectDistinct("LOCATION", ["anna", "otto", "abba", "eva", "ida"].map { "http://192.168.1.2/\($0)/d.xml" })
    expectDistinct("CPFN.UPNP.ORG", ["Anna", "Otto", "Emma", "Anna 1", "Anna 2", "Otto 3"])
    // Not even where bytes are no text.
    var anonymiser = Anonymiser()
    let broken = ["aaa", "bbb", "ccc"].map { name in
      anonymiser.payload(Array("X\r\nUSN: uuid:".utf8) + [0xFF] + Array("\(name)\r\n".utf8))
    }
    expectEqual(Set(broken).count, 3)
  }

  @Test("private characters and thousands of names in one field neither trap nor leak")
  func hostile() {
    var anonymiser = Anonymiser()
    let odd = value(&anonymiser, "USN", "uuid:anna\u{E001}\u{E002}")
    #expect(!odd.contains("anna"))
    let many = value(&anonymiser, "X-ALL", (0..<9_000).map { "1.2.\($0 % 250).\($0 % 249)" }.joined(separator: " "))
    #expect(!many.contains("\u{E001}"))
    let letters = value(
      &anonymiser, "X-ALL", String(String.UnicodeScalarView((0x100...0x17F).compactMap { Unicode.Scalar($0) })))
    expectEqual(Set(letters.unicodeScalars).count, 128)
  }
}

extension Anonymiser {
  /// A payload of text with other names in it.
  mutating func text(_ text: String) -> String { String(decoding: payload(Array(text.utf8)), as: UTF8.self) }
}
