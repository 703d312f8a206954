import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("Messages of multicast DNS against tshark") struct DNSTruthTests {
  private struct Truth: Decodable {
    var mdns: [Message]

    struct Message: Decodable {
      var frame: Int
      var response: Bool
      var id: String
      var counts: [Int]
      /// Name, type, QU.
      var questions: [[String]]?
      /// Name, type, TTL. tshark has another order, and leaves some or a TTL out where there is an OPT record.
      var records: [[String]]?
    }
  }

  @Test("Every datagram of port 5353 is read without a fault, and says what tshark says")
  func agreement() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Captures")
    let own = try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
      .map { root.appendingPathComponent($0).appendingPathComponent("tshark.json") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    expectEqual(own.count, 4)
    let shared = CaptureFolder.captures(in: "mdns", for: "messages of multicast DNS against tshark")
    let captures =
      own.map { ($0.deletingLastPathComponent().appendingPathComponent("capture.pcapng"), $0) }
      + shared.map { ($0, $0.appendingPathExtension("expect.json")) }
    var (messages, questions, records) = (0, 0, 0)
    for (file, truth) in captures {
      let data = try Data(contentsOf: truth)
      var expected = try JSONDecoder().decode(Truth.self, from: data).mdns[...]
      var reader = try CaptureReader(path: file.path)
      var extractor = DatagramExtractor()
      var (frame, datagram) = (CaptureFrame(), ExtractedDatagram())
      while extractor.next(from: &reader, &frame, &datagram) {
        // What goes from 5353 to 53 is plain DNS for tshark.
        let ports = [datagram.source.port, datagram.destination.port]
        guard ports.contains(5_353), !ports.contains(53) else { continue }
        let place = "\(file.lastPathComponent), frame \(frame.number)"
        guard let truth = expected.popFirst(), truth.frame == frame.number else {
          Issue.record("\(place): tshark sees no message there")
          break
        }
        let reading: DNSReader.Reading
        do throws(DNSFault) { reading = try DNSReader.read(datagram.payload) } catch {
          Issue.record("\(place): \(error)")
          continue
        }
        expectEqual(reading.faults, [], "\(place)")
        compare(reading.message, truth, place)
        messages += 1
        questions += reading.message.questions.count
        records += truth.records?.count ?? 0
        let again = reading.message.bytes.withUnsafeBytes { try? DNSReader.read($0) }
        expectEqual(again?.message, reading.message, "\(place)")
      }
      expectEqual(expected.map(\.frame), [], "\(file.lastPathComponent)")
    }
    print("tshark and the reader of DNS compared: \(messages) messages, \(questions) questions, \(records) records")
    if CaptureFolder.url == nil { return }
    #expect(messages > 350 && questions > 100 && records > 100, "little was compared")
  }

  private func compare(_ message: DNSMessage, _ truth: Truth.Message, _ place: String) {
    expectEqual(message.flags.isResponse, truth.response, "\(place)")
    expectEqual(message.id, UInt16(truth.id.dropFirst(2), radix: 16), "\(place)")
    let records = message.answers + message.authorities + message.additionals
    expectEqual(
      [message.questions.count, message.answers.count, message.authorities.count, message.additionals.count],
      truth.counts, "\(place)")
    let questions = message.questions.map {
      [
        "\($0.name.labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "."))", "\($0.type.rawValue)",
        $0.wantsUnicast ? "1" : "0",
      ]
    }
    expectEqual(questions, truth.questions ?? [], "\(place)")
    guard let list = truth.records, list.count == records.count, !list.contains(where: { $0[2].isEmpty }) else {
      return
    }
    expectEqual(records.map { "\($0.type.rawValue)" }.sorted(), list.map { $0[1] }.sorted(), "\(place)")
    expectEqual(records.map { "\($0.ttlSeconds)" }.sorted(), list.map { $0[2] }.sorted(), "\(place)")
  }
}
