package import RollcallCapture
package import RollcallConformance
import RollcallPrimitives
package import RollcallReplaying
import RollcallRunning

/// Lets a judge hear a capture: the same datagrams that a replay gives its engine, fetched documents, packets of the air.
package struct CaptureHearing: ~Copyable {
  /// What is wrong with the file, and how far it was read where that was not to its end.
  package private(set) var problems = CaptureProblems()
  package private(set) var failure: CaptureFilterError?
  private var sockets = SearchSockets()
  private var documents: CaptureDocuments?
  private var last = Instant(nanoseconds: .min)

  package init() {}

  /// - Parameter filter: frames that it does not let through are not heard.
  package mutating func run(_ reader: inout CaptureReader, filter: CaptureFilter? = nil, judge: inout ClauseJudge) {
    if judge.hearsDescriptions { documents = CaptureDocuments() }
    var extractor = DatagramExtractor(readsSegments: documents != nil)
    var frame = CaptureFrame()
    var datagram = ExtractedDatagram()
    var radio = RadioExtractor()
    let programs = filter.map { CapturePrograms($0) }
    while reader.next(&frame) {
      // Where the file's times go back, the clock of the judge stands still.
      if frame.hasTime { last = max(last, frame.time) }
      if let programs {
        do throws(CaptureFilterError) { if try !programs.accepts(frame) { continue } } catch {
          failure = error
          break
        }
      }
      if extractor.extract(frame, into: &datagram) {
        hear(datagram, frame, &judge)
      } else if let segment = extractor.segment, documents != nil,
        judge.wants(documentsOf: segment.source) || judge.wants(documentsOf: segment.destination)
      {
        let fetched = documents?.take(segment, frame: frame.number, at: max(last, .zero)) ?? []
        for heard in fetched {
          judge.note(TraceEvent(time: max(last, .zero), position: frame.number, host: -1, .described(heard)))
        }
      }
      guard RadioExtractor.mayHold(frame.linkType) else { continue }
      for packet in radio.packets(of: frame) {
        judge.hear(HeardPacket(time: max(last, .zero), position: frame.number, packet: packet))
      }
    }
    problems.conclude(extractor, reader)
    problems.conclude(radio)
    judge.close(at: last.nanoseconds == .min ? nil : last)
  }

  private mutating func hear(_ datagram: ExtractedDatagram, _ frame: CaptureFrame, _ judge: inout ClauseJudge) {
    let search = sockets.place(from: datagram.source, to: datagram.destination)
    let isPort5353 = datagram.source.port == Endpoint.mdnsPort || datagram.destination.port == Endpoint.mdnsPort
    guard let place = search ?? (isPort5353 ? .port5353 : nil) else { return }
    let observation = Observation(
      time: max(last, .zero), position: frame.number, source: datagram.source, destination: datagram.destination,
      interface: InterfaceID(UInt16(truncatingIfNeeded: frame.interface)),
      isOnLoopback: datagram.source.address.isLoopback ? frame.isOnLoopback : nil, hopLimit: datagram.hopLimit,
      identification: datagram.identification, fragmentCount: datagram.fragmentCount, isCut: datagram.isCut,
      place: place, bytes: datagram.payload)
    if place == .port5353 { return judge.hear(multicastDNS: observation) }
    sockets.learn(judge.hear(observation), from: datagram.source)
  }
}
