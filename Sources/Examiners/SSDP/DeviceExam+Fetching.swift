package import RollcallConformance
package import RollcallPrimitives
import RollcallWire

/// A description that the examiner fetched, for the judge.
package struct ExamDocument: Hashable, Sendable {
  /// When its last byte was there.
  package var time: Instant
  package var heard: HeardDescription
}

/// One GET of a description, bounded in bytes and time.
struct ExamFetch: Sendable {
  static let bodyBytesMaximum = 1 << 20
  static let patience = Interval.seconds(5)
  /// The examiner opens one stream only.
  static let stream = StreamID(1)

  var location: String
  var askedAt: Instant
  /// What is asked as soon as there is room for it; empty: it was.
  var question: [UInt8]
  var reader = HTTPResponseReader(limits: .init(bodyBytesMaximum: bodyBytesMaximum))

  var due: Instant { askedAt + ExamFetch.patience }
}

// The description is asked for once, from the device itself, while the searches go on. What it says is compared with
// messages by the judge (`ExamJudgement`), as what others fetch is, and with silence by `ExamRulings+Description.swift`.
extension DeviceExam {
  /// Asks for the description, if LOCATION is at the address that the device speaks from: nobody else is asked.
  mutating func fetch(_ subject: ExamSubject, at now: Instant, into outbox: inout Outbox) {
    guard plan.probes.contains(.description), fetch == nil, document == nil, let home else { return }
    let location = subject.root.location
    guard case .url(let url) = LocationURL.check(location), url.scheme == .http, url.address == subject.address else {
      fetchRemark = "not fetched: LOCATION is no http URL at the device's own address"
      return
    }
    let server = Endpoint(subject.address, port: url.port)
    let path = String(decoding: Array(location.utf8)[url.path], as: UTF8.self)
    let request = HTTPRequest(path: path, authority: server.description, userAgent: plan.agent)
    fetch = ExamFetch(location: location, askedAt: now, question: request.bytes)
    fetchRemark = nil
    outbox.want(StreamEffect.connect(ExamFetch.stream, to: server, home.interface))
  }

  mutating func take(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    guard fetch != nil else { return }
    switch signal {
    case .room(ExamFetch.stream, _):
      guard let question = fetch?.question, !question.isEmpty else { return }
      fetch?.question = []
      outbox.want(StreamEffect.write(ExamFetch.stream, question))
    case .bytes(ExamFetch.stream, let bytes): fetch?.reader.take(bytes)
    case .ended(ExamFetch.stream, .finished): fetch?.reader.close()
    case .ended(ExamFetch.stream, let end): endFetch("not fetched: \(end.rawValue)")
    default: break
    }
    guard let fetch else { return }
    switch fetch.reader.state {
    case .needsMore: break
    case .refused(let refusal): endFetch("not fetched: \(refusal.reason.rawValue)", &outbox)
    case .complete:
      let status = fetch.reader.head?.status ?? 0
      guard status == 200 else { return endFetch("not fetched: status \(status)", &outbox) }
      document = ExamDocument(
        time: now,
        heard: HeardDescription(location: fetch.location, askedAt: fetch.askedAt, body: fetch.reader.body))
      endFetch("\(fetch.reader.body.count) bytes from \(fetch.location)", &outbox)
    }
  }

  /// Gives up what takes too long.
  mutating func checkFetch(at now: Instant, into outbox: inout Outbox) {
    guard let fetch, fetch.due <= now else { return }
    endFetch("not fetched: no whole answer within \(ExamFetch.patience.secondsText)", &outbox)
  }

  private mutating func endFetch(_ remark: String, _ outbox: inout Outbox) {
    outbox.want(StreamEffect.reset(ExamFetch.stream))
    endFetch(remark)
  }

  private mutating func endFetch(_ remark: String) { (fetch, fetchRemark) = (nil, remark) }
}
