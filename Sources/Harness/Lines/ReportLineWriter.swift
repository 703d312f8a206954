package import Primitives

/// Writes reports as the JSON lines that `ReportLine` writes, where there are many: what is said of one service in line
/// after line is put into JSON once.
package final class ReportLineWriter {
  private struct Service {
    /// Held, so that nothing else has its address.
    var names: ServiceNames
    // Where its pieces stand in `pieces`: what comes before the search, what comes behind it, the USN.
    var start: Int
    var search: Int
    var usn: Int
    var end: Int
  }
  private var pieces: [UInt8] = []
  private var line = JSONLine()
  private var services: [Service] = []
  /// The number of the service + 1 at the place that its address gives, or behind it; 0: free.
  private var places = [UInt16](repeating: 0, count: ReportLineWriter.placeCount)

  private static let placeCount = 8_192
  /// So many are kept; then all are forgotten.
  private static let servicesMaximum = 4_096

  package init() {}

  /// Appends the line, without its end, to a buffer.
  package func append(_ report: Report, time: Instant, frame: Int?, to buffer: inout [UInt8]) {
    line.restart(reportAt: time, frame: frame)
    switch report {
    case .service(let service):
      let number = number(of: service.names)
      pieces.withUnsafeBufferPointer { pieces in
        line.add(piece: pieces[services[number].start..<services[number].search])
        line.add(number: UInt64(service.search.number))
        line.add(piece: pieces[services[number].search..<services[number].usn])
      }
    case .searchEnded(let outcome):
      ReportLine.add(outcome, to: &line) { line, names in
        let number = number(of: names)
        pieces.withUnsafeBufferPointer { line.add(piece: $0[services[number].usn..<services[number].end]) }
      }
    default: ReportLine.add(report, to: &line)
    }
    line.close(into: &buffer)
  }

  private func number(of names: ServiceNames) -> Int {
    var place = ReportLineWriter.home(names)
    while places[place] != 0 {
      let number = Int(places[place] &- 1)
      if services[number].names === names { return number }
      place = (place &+ 1) & (ReportLineWriter.placeCount &- 1)
    }
    if services.count == ReportLineWriter.servicesMaximum {
      services.removeAll(keepingCapacity: true)
      pieces.removeAll(keepingCapacity: true)
      for index in places.indices { places[index] = 0 }
      place = ReportLineWriter.home(names)
    }
    let start = pieces.count
    pieces += JSONLine.piece { ReportLine.begin(names, &$0) }
    let search = pieces.count
    pieces += JSONLine.piece { ReportLine.end(names, &$0) }
    let usn = pieces.count
    pieces += JSONLine.piece { $0.quote(names.usn) }
    services.append(Service(names: names, start: start, search: search, usn: usn, end: pieces.count))
    places[place] = UInt16(services.count)
    return services.count - 1
  }

  private static func home(_ names: ServiceNames) -> Int {
    let address = UInt(bitPattern: ObjectIdentifier(names))
    return Int((UInt64(address) &* 0x9E37_79B9_7F4A_7C15) &>> 51)
  }
}
