public import RollcallPrimitives

/// A trace as people read it, and as it is read back: one line an entry, payload text included.
public enum TraceText {
  /// `12.500000000 tv > found uuid:…`: `<` is given to the machine, `>` is wanted by it.
  public static func line(_ entry: TraceEntry, stationName: (UInt32) -> String) -> String {
    let head = "\(entry.time) \(stationName(entry.station)) "
    switch entry.content {
    case .received(let datagram): return head + "< " + text(of: datagram)
    case .sent(let datagram): return head + "> " + text(of: datagram)
    case .signal(let signal): return head + "< " + signal.value.text
    case .effect(let effect): return head + "> " + (effect.value?.text ?? "")
    case .woken: return head + "< wake"
    }
  }

  private static func text(of datagram: RecordedDatagram) -> String {
    var words = WordWriter()
    datagram.write(to: &words)
    return words.text
  }

  /// Reads a line that `line(_:stationName:)` wrote; names of stations hold no blanks.
  /// - Parameters:
  ///   - others: types of values of other packages' ports that the trace may hold, of either direction.
  ///   - number: the number of a station of this name.
  public static func read(
    _ line: Substring, others: [any PortValue.Type] = [], number: (Substring) -> UInt32
  ) throws(WordError) -> TraceEntry {
    var words = WordReader(line)
    let seconds = "a time in seconds with nine decimals"
    guard let time = Instant(try words.next(seconds)) else { throw words.error(seconds) }
    let station = number(try words.next("the name of a station"))
    let arrow = try words.next("< or >")
    guard arrow == "<" || arrow == ">" else { throw words.error("< or >") }
    let content = try content(isInput: arrow == "<", &words, others)
    return TraceEntry(time: time, station: station, content: content)
  }

  private static func content(
    isInput: Bool, _ words: inout WordReader, _ others: [any PortValue.Type]
  ) throws(WordError) -> TraceEntry.Content {
    let expected = "what a machine \(isInput ? "was given" : "wanted")"
    let verb = try words.next(expected)
    if let source = Endpoint(verb), words.peek == "->" {
      let datagram = try RecordedDatagram(source: source, from: &words)
      return isInput ? .received(datagram) : .sent(datagram)
    }
    if isInput, verb == "wake" {
      try words.end()
      return .woken
    }
    let types = (isInput ? SignalValue.types : Effect.types) + others
    let value = try words.value(verb, of: types, expected)
    return isInput ? .signal(SignalValue(value)) : .effect(Effect(value))
  }
}
