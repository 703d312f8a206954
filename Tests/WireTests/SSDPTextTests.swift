import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("SSDP as text")
struct SSDPTextTests {
  @Test("names are upper-cased, the first of duplicates holds, empty values stay, order is kept")
  func headers() {
    let bytes = Array(
      "HTTP/1.1 200 OK\r\nusn: one\r\nx-a: 1\r\nEXT:\r\nUSN: two\r\nX-A: 2\r\nBootID.upnp.org:\t3 \r\n\r\n".utf8)
    let headers = SSDPSamples.headers(bytes).headers
    expectEqual(headers.map(\.name), ["USN", "X-A", "EXT", "BOOTID.UPNP.ORG"])
    expectEqual(headers.map(\.value), ["one", "1", "", "3"])
  }

  @Test(
    "a byte that is not part of valid UTF-8 becomes \\xNN",
    arguments: [
      ([0x61, 0xE9, 0x62], "a\\xe9b"), ([0xC3, 0xA9], "é"), ([0xC0, 0x80], "\\xc0\\x80"), ([0xE2, 0x82], "\\xe2\\x82"),
      ([0xE2, 0x82, 0x41], "\\xe2\\x82A"), ([0xE2, 0x82, 0xAC, 0xFF], "€\\xff"),
      ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"),
      ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"), ([0xF0, 0x9F, 0x98, 0x80], "😀"), ([0, 0x80], "\0\\x80"),
      ([], ""),
      // What reads like such a byte and is none: a backslash, an x and two digits.
      (Array("a\\xe9b".utf8), "a\\x5cxe9b"), (Array("\\x5cxe9".utf8), "\\x5cx5cxe9"), ([0x5C, 0xE9], "\\\\xe9"),
      (Array("\\XE9 \\xe \\x".utf8), "\\x5cXE9 \\xe \\x"), (Array("é\\xff".utf8), "é\\x5cxff"),
    ] as [([UInt8], String)])
  func escapes(bytes: [UInt8], text: String) {
    expectEqual(SSDPText.text(bytes), text)
  }

  @Test("bytes that are looked at in words give the text that they give one by one")
  func words() {
    for count in 1...33 {
      for place in 0..<count {
        for byte in [0, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xDC, 0xFF] as [UInt8] {
          var bytes = [UInt8](repeating: 0x41, count: count)
          bytes[place] = byte
          let text: String = bytes.withUnsafeBytes { SSDPText.text($0) }
          if text != SSDPText.text(bytes) { Issue.record("\(byte) at \(place) of \(count)") }
        }
      }
    }
  }

  @Test("every real datagram is read as the independent decoder read it")
  func captures() throws {
    guard let folder = CaptureFolder.url?.appending(path: "datagrams") else {
      CaptureFolder.skipped("single datagrams against tshark")
      return
    }
    let kinds = ["msearch": "search", "notify-other": "unknown"]
    for (name, bytes) in SSDPSamples.datagrams {
      let expectation = try Data(contentsOf: folder.appending(path: name + ".expect.json"))
      guard let whole = try JSONSerialization.jsonObject(with: expectation) as? [String: Any],
        let record = (whole["ssdp"] as? [[String: Any]])?.first, let kind = record["kind"] as? String
      else {
        Issue.record("no record for \(name)")
        continue
      }
      let (found, headers) = SSDPSamples.headers(bytes)
      #expect(found == kinds[kind] ?? kind, "\(name)")
      let expected = [record["headers"], record["headers_more"]].compactMap { $0 as? [String: Any] }
      for (field, value) in expected.joined() {
        #expect(headers.first { $0.name == field }?.value == value as? String, "\(name) \(field)")
      }
      let others = (record["header_names_other"] as? [String] ?? []).map { $0.uppercased() }
      let named = expected.flatMap { $0.filter { $0.value is String }.keys }
      expectEqual(Set(headers.map(\.name)), Set(others + named), "\(name)")
    }
    #expect(SSDPSamples.datagrams.count > 30)
    print("SSDP datagrams of captures: \(SSDPSamples.datagrams.count) checked")
  }
}
