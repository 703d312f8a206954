import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

/// One cause is one finding, under the clause of the message that it is about.
@Suite("One cause, one finding")
struct OneFindingTests {
  private func must(_ talk: [Said]) -> [String] {
    let judgement = Said.judged(talk)
    return judgement.judged.filter { $0.clause.level == .must && judgement.total($0).violated > 0 }.map(\.clause.id)
  }

  private let service = "urn:schemas-upnp-org:service:Dimming:1"

  @Test("an alive without BOOTID breaks the clause of alives where the device never has one, else that of all messages")
  func bootID() {
    let without = Said.alive(["BOOTID.UPNP.ORG": nil])
    let serviceWithout = Said.alive([
      "BOOTID.UPNP.ORG": nil, "NT": service, "USN": "uuid:\(Said.uuid)::\(service)",
    ]).with { $0.at = .milliseconds(50) }
    expectEqual(must([without]), ["UDA-1.2.2-A-BOOTID"])
    expectEqual(must([without, serviceWithout]), ["UDA-1.2.2-A-BOOTID"])
    expectEqual(must([.alive(), serviceWithout]), ["UDA-1.2.2-BOOT-ALLMSG"])
    // Without a USN nobody knows whose it is.
    #expect(must([.alive(["BOOTID.UPNP.ORG": nil, "USN": nil])]).contains("UDA-1.2.2-A-BOOTID"))
  }

  @Test("a byebye, an update or an answer without BOOTID breaks the clause of its fields alone")
  func bootIDOfOthers() {
    let later = { (said: Said) in said.with { $0.at = .seconds(5) } }
    expectEqual(must([.alive(), later(.notify("byebye", ["BOOTID.UPNP.ORG": nil]))]), ["UDA-1.2.3-BB-FIELDS"])
    expectEqual(must([.alive(), later(.notify("update", ["BOOTID.UPNP.ORG": nil]))]), ["UDA-1.2.4-UPD-FIELDS"])
    expectEqual(
      must([.alive(), later(.search()), .answer(["BOOTID.UPNP.ORG": nil]).with { $0.at = .milliseconds(5_100) }]),
      ["UDA-1.3.3-BOOT"])
  }

  @Test(
    "what is wrong with a field of an answer breaks the clause of answers, not that of alives",
    arguments: [
      ("SERVER", "Linux/6.6 UPnP/2.0"), ("SERVER", "Linux, UPnP/2.0, Product/1.0"), ("LOCATION", "/description.xml"),
      ("CACHE-CONTROL", "max-age=1800, no-cache"), ("CACHE-CONTROL", "max-age"),
    ])
  func answers(field: String, value: String) {
    let edits: KeyValuePairs<String, String?> = [field: value]
    expectEqual(must([.search(), .answer(edits)]), ["UDA-1.3.3-FIELDS"])
    let alive = must([.alive(edits)])
    #expect(alive.count == 1 && alive[0].hasPrefix("UDA-1.2.2-A-"), "\(alive)")
  }

  @Test("an answer in good form breaks nothing")
  func goodAnswer() { expectEqual(must([.search(), .answer()]), []) }

  @Test(
    "UDA 1.0 lists what SERVER concatenates and not how: blanks, commas and products of several words are no breach",
    arguments: [
      "Linux/3.3.8-3.0, UPnP/1.0 DIRECTV JHUPnP/1.0",
      "Linux/4.1.27, UPnP/1.0, Portable SDK for UPnP devices/1.6.18", "OS 1.0 UPnP/1.0 Realtek/V1.3",
      "Linux/2.6 UPnP/1.0 My, Product, 1.0", "Windows NT/5.0, UPnP/1.0, UPnP/1.0 Stack/2",
    ])
  func listed(server: String) {
    let plain: KeyValuePairs<String, String?> = ["SERVER": server, "BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil]
    expectEqual(must([.alive(plain)]), [])
    expectEqual(must([.search(), .answer(plain)]), [])
    // From 1.1 on there is a template.
    let claimed = server.split(separator: "UPnP/1.0", maxSplits: 1).joined(separator: "UPnP/1.1")
    expectEqual(must([.alive(["SERVER": claimed])]), ["UDA-1.2.2-A-SERVER"])
  }

  @Test(
    "and each of the five has to be there under UDA 1.0 as well",
    arguments: [
      "Unspecified, UPnP/1.0, Unspecified", "POSIX UPnP/1.0 UPnP Stack/7.14", "SHP, UPnP/1.0, Samsung UPnP SDK/1.0",
      "Linux/2.6 UPnP/1.0", "UPnP/1.0 Product/1.0", "Linux/2.6 UPnP/1 Product/1.0", "Linux/2.6 UPnP/1.0 Product", "",
      "Linux/2.6 Product/1.0",
    ])
  func missing(server: String) {
    expectEqual(
      must([.alive(["SERVER": server, "BOOTID.UPNP.ORG": nil, "CONFIGID.UPNP.ORG": nil])]), ["UDA-1.2.2-A-SERVER"])
  }
}

@Suite("Repetitions of a message")
struct RepetitionTests {
  private let breach = "UDA-1.2.2-REPEAT-MAX3"

  /// Alives `pause` apart, each under its own name of `names`, with these numbers of packets.
  private func violated(_ names: [String], pause: Interval, identifications: [Int32]? = nil, target: String = Said.type)
    -> Bool
  {
    let talk = names.enumerated().map { place, name in
      Said.alive(["NT": target, "USN": "uuid:\(Said.uuid)::\(name)"]).with {
        $0.at = pause * Int64(place)
        $0.identification = identifications?[place] ?? -1
      }
    }
    return Said.judged(talk).violated.contains(breach)
  }

  @Test("are of one USN and NT: four services that share a foreign NT are four messages (D25)")
  func byName() {
    let four = ["a", "b", "c", "d"].map { "urn:x:service:\($0):1" }
    let foreign = "hnap:NetworkCamera"
    #expect(!violated(four, pause: .milliseconds(10), target: foreign))
    #expect(!violated(four + four + four, pause: .milliseconds(10), target: foreign))
    #expect(violated(four + four + four + [four[2]], pause: .milliseconds(10), target: foreign))
    // The other way round: one USN under four NTs.
    let oneUSN = four.enumerated().map { place, target in
      Said.alive(["NT": target, "USN": "uuid:\(Said.uuid)"]).with { $0.at = .milliseconds(10) * Int64(place) }
    }
    #expect(!Said.judged(oneUSN).violated.contains(breach))
    // And a type that several USNs share is not announced in two versions.
    let shared = Said.judged(
      four.map { Said.alive(["NT": "urn:x:service:s:1", "USN": "uuid:\(Said.uuid)::\($0)"]) })
    #expect(!shared.violated.contains("UDA-1.2.2-HIGHEST"))
  }

  @Test("are copies of the network where they follow within 2 ms with the number of the same packet, or with none")
  func networkCopies() {
    let same = [String](repeating: Said.type, count: 4)
    let (close, bound) = (Interval.nanoseconds(1_999_999), Interval.milliseconds(2))
    #expect(!violated(same, pause: close))
    #expect(!violated(same, pause: close, identifications: [7, 7, 7, 7]))
    #expect(violated(same, pause: close, identifications: [7, 8, 9, 10]))
    #expect(violated(same, pause: close, identifications: [65_535, 0, 1, 2]))
    #expect(violated(same, pause: bound))
    #expect(violated(same, pause: bound, identifications: [7, 7, 7, 7]))
    // Each of three true messages comes twice.
    #expect(
      !violated(
        same + same.prefix(2), pause: .milliseconds(1), identifications: [7, 7, 8, 8, 9, 9]))
    #expect(
      violated(same + same, pause: .milliseconds(1), identifications: [7, 7, 8, 8, 9, 9, 10, 10]))
  }
}
