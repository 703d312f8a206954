import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("An examination of a device, step by step")
struct ExamMachineTests {
  private typealias Station = ExamStation

  private let nanosecond = Interval.nanoseconds(1)

  @Test("four searches in two seconds look for a device; 2.5 s later, and after all patience, there was none")
  func nobody() {
    var station = Station(DeviceExamPlan(patience: .seconds(7)))
    station.exam.nextPort = 64_999
    station.begin(at: .zero)
    for milliseconds in [100, 600, 1_100, 2_100, 4_600] as [Int64] {
      let time = Interval.milliseconds(milliseconds)
      station.wake(at: time - nanosecond)
      expectEqual(station.exam.deadline, Instant.zero + time)
      station.wake(at: time)
    }
    let asked = station.exam.asks.map { ask in
      let time = (ask.time - Instant.zero).secondsText
      return "\(time) \(ask.probe.rawValue) from \(ask.source.port): \(ask.question.text)"
    }
    expectEqual(
      asked,
      [
        "0.1 s search-all from 64999: ST: ssdp:all, MX: 2", "0.6 s search-root from 65000: ST: upnp:rootdevice, MX: 2",
        "1.1 s search-all from 49200: ST: ssdp:all, MX: 2", "2.1 s search-all from 49201: ST: ssdp:all, MX: 2",
      ])
    expectEqual(
      station.sent,
      station.exam.asks.map { ask in
        RecordedDatagram(
          source: Endpoint(ExamBench.examiner, port: ask.source.port), destination: Station.group,
          interface: InterfaceID(0), hopLimit: 2, bytes: ask.bytes)
      })
    let end = Interval.milliseconds(11_600)
    station.wake(at: end - nanosecond)
    expectEqual(station.exam.phase, .hoping)
    expectEqual(station.exam.deadline, Instant.zero + end)
    station.wake(at: end)
    expectEqual(station.exam.phase, .over)
    expectEqual(station.exam.outcome, .nobody)
    expectEqual(station.exam.ended, Instant.zero + end)
    expectEqual(station.exam.deadline, nil)
    expectEqual(station.exam.packetCount, 4)
  }

  @Test("an interface has five seconds to become ready, and the examination begins with its address")
  func interface() {
    var station = Station()
    station.begin(at: .zero, isUp: false)
    station.begin(at: .seconds(2), isUp: false)
    expectEqual(station.exam.deadline, Instant.zero + .seconds(5))
    var late = station
    late.wake(at: Interval.seconds(5) - nanosecond)
    expectEqual(late.exam.phase, .waiting)
    late.wake(at: .seconds(5))
    expectEqual(late.exam.phase, .over)
    expectEqual(late.exam.outcome, .noAddress)
    expectEqual(late.exam.ended, Instant.zero + .seconds(5))
    station.begin(at: .seconds(3))
    expectEqual(station.exam.phase, .finding)
    expectEqual(station.exam.began, Instant.zero + .seconds(3))
    expectEqual(station.exam.packetCount, 1)
    expectEqual(station.exam.deadline, Instant.zero + .milliseconds(3_500))
    station.begin(at: .milliseconds(3_100))
    expectEqual(station.exam.began, Instant.zero + .seconds(3))
  }

  // MARK: - What is heard

  @Test("an answer is an error where a status of 300 or more stands behind HTTP/")
  func errors() throws {
    var station = Station()
    station.begin(at: .zero)
    station.wake(at: .milliseconds(100))
    let socket = try #require(station.exam.asks.first).source
    let rows: [(text: String, isError: Bool)] = [
      ("HTTP/1.1 404", true), ("HTTP/1.1 40", false), ("HTTP/1.1 ", false), ("HTTP/1.1", false), ("HTTP", false),
      ("http/1.1 300 x", true), ("HTTP/1.1 299 x", false), ("HTTP/1.1 200", false), ("HTTP/1.1 100 Continue", false),
      ("HTTP/1.1 4x4 x", false), ("HTTP/1.1 40x", false), ("HTTP/1.1 x04", false), ("HTTP/1.1404 x", false),
      ("HTTP/1.1 4045", true), ("NOTIFY/1 404", false), ("HTTP/12345678.9 404", true), ("HTTP/123456789.9 404", false),
    ]
    for row in rows { station.hear(row.text, to: socket, at: .milliseconds(200)) }
    let heard = station.exam.asks[0].answers
    expectEqual(heard.map { String(decoding: $0.bytes, as: UTF8.self) }, rows.map(\.text))
    for (answer, row) in zip(heard, rows) { expectEqual(answer.isError, row.isError, "\(row.text)") }
    // More than 512 are counted alone, and of each no more than 1,500 bytes are kept.
    for _ in 0..<(514 - rows.count) {
      station.hear(String(repeating: "x", count: 1_501), to: socket, at: .milliseconds(300))
    }
    expectEqual(station.exam.asks[0].answers.count, 512)
    expectEqual(station.exam.asks[0].droppedCount, 2)
    expectEqual(station.exam.asks[0].answers.last?.bytes.count, 1_500)
  }

  @Test("of a device its first LOCATION and SERVER, its highest version, and the newest of all else are kept")
  func learns() {
    var station = Station()
    station.begin(at: .zero)
    let (root, type) = ("upnp:rootdevice", "urn:a:device:B:1")
    station.notify(
      "alive", root, "u-1",
      [
        "CACHE-CONTROL: max-age=1800", "LOCATION: http://192.168.1.10/x", "SERVER: Linux/1 UPnP/1.1 Test/1",
        "BOOTID.UPNP.ORG: 7", "CONFIGID.UPNP.ORG: 8", "SEARCHPORT.UPNP.ORG: 50000",
      ], at: .milliseconds(20))
    var device = ExamDevice(
      uuid: "u-1", source: ExamBench.device, location: "http://192.168.1.10/x", server: "Linux/1 UPnP/1.1 Test/1",
      claim: .uda11, hasBootID: true, searchPort: 50_000, maxAgeSeconds: 1_800,
      adverts: [ExamAdvert(target: root, uuid: "u-1")],
      firstHeard: Instant.zero + .milliseconds(20))
    expectEqual(station.exam.roll.devices, [device])
    let other = IPAddress(192, 168, 1, 11)
    station.notify(
      "alive", type, "U-1",
      ["CACHE-CONTROL: max-age=60", "LOCATION: http://192.168.1.10/y", "SERVER: Linux/1 UPnP/1.0 Other/1"],
      from: other, at: .milliseconds(30))
    device.source = other
    device.maxAgeSeconds = 60
    device.adverts.append(ExamAdvert(target: type, uuid: "u-1"))
    expectEqual(station.exam.roll.devices, [device])
    station.notify("alive", type, "u-1", at: .milliseconds(40))
    device.source = ExamBench.device
    expectEqual(station.exam.roll.devices, [device])
    // What is no alive message makes nobody known, and what comes elsewhere is not heard.
    station.notify("byebye", root, "u-2", at: .milliseconds(50))
    station.notify("alive", root, "u-3", on: 1, at: .milliseconds(60))
    station.notify("alive", String(repeating: "x", count: 513), at: .milliseconds(60))
    expectEqual(station.exam.roll.devices, [device])
    expectEqual(
      station.exam.announcements.map { said in
        let numbers = "\(said.bootID) \(said.configID) \(said.maxAgeSeconds)"
        return "\((said.time - Instant.zero).secondsText) \(said.kind.rawValue) \(said.uuid) \(said.target) \(numbers)"
      },
      [
        "0.02 s alive u-1 \(root) 7 8 1800", "0.03 s alive U-1 \(type) -1 -1 60", "0.04 s alive u-1 \(type) -1 -1 -1",
        "0.05 s byebye u-2 \(root) -1 -1 -1",
      ])
    for number in 0..<130 { station.notify("alive", "x:\(number)", at: .milliseconds(70)) }
    expectEqual(station.exam.roll.devices.map(\.adverts.count), [128])
    expectEqual(station.exam.roll.devices[0].adverts.last?.target, "x:125")
  }

  // MARK: - The description

  @Test("a description is asked for once, as soon as there is room, and given up after five seconds")
  func fetches() {
    var station = Station()
    let stream = StreamID(1)
    let question: [UInt8] = [71, 69, 84]
    station.give(.streams(.room(stream, byteCount: 9)), at: .zero)
    expectEqual(station.streams, [])
    station.exam.fetch = ExamFetch(location: "http://x", askedAt: .zero, question: question)
    station.give(.streams(.room(StreamID(2), byteCount: 9)), at: .zero)
    expectEqual(station.streams, [])
    for _ in 0..<2 { station.give(.streams(.room(stream, byteCount: 9)), at: .zero) }
    expectEqual(station.streams, [.write(stream, question)])
    expectEqual(station.exam.deadline, Instant.zero + .seconds(5))
    var slow = station
    slow.wake(at: Interval.seconds(5) - nanosecond)
    #expect(slow.exam.fetch != nil)
    slow.wake(at: .seconds(5))
    #expect(slow.exam.fetch == nil)
    expectEqual(slow.exam.fetchRemark, "not fetched: no whole answer within 5 s")
    expectEqual(slow.streams, [.write(stream, question), .reset(stream)])
    expectEqual(slow.exam.deadline, nil)

    let rows: [(answer: String, isEnded: Bool, body: String?, remark: String?)] = [
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false, "abc", "3 bytes from http://x"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", false, nil, nil),
      ("HTTP/1.1 200 OK\r\n\r\nab", true, "ab", "2 bytes from http://x"),
      ("HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc", false, nil, "not fetched: status 201"),
      ("x\r\n", false, nil, "not fetched: statusLine"),
    ]
    for row in rows {
      var one = station
      one.give(.streams(.bytes(stream, Array(row.answer.utf8))), at: .seconds(1))
      if row.isEnded { one.give(.streams(.ended(stream, .finished)), at: .seconds(1)) }
      let document = row.body.map { body in
        ExamDocument(
          time: Instant.zero + .seconds(1),
          heard: HeardDescription(location: "http://x", askedAt: .zero, body: Array(body.utf8)))
      }
      expectEqual(one.exam.document, document)
      expectEqual(one.exam.fetchRemark, row.remark)
      expectEqual(one.exam.fetch == nil, row.remark != nil)
      let end: [StreamEffect] = row.remark == nil ? [] : [.reset(stream)]
      expectEqual(one.streams, [StreamEffect.write(stream, question)] + end)
    }
  }
}
