import RollcallPrimitives
import RollcallReporting

/// The diagram of a picture as JSON that may stand inside a page: one row of a table on each line.
///
/// Times are nanoseconds since the origin; each mark has the time since the mark before it. Texts stand once, in
/// `strings`, and `said` and the marks have their numbers. `<`, `>` and `&` stand escaped, so that nothing in a text
/// ends the block or begins markup.
package enum PictureJSON {
  package static func bytes(_ picture: Picture) -> [UInt8] {
    var text = Writer()
    text.add("{\n\"version\":1,\n\"unit\":")
    text.quote(picture.unit.rawValue)
    text.add(",\n\"origin\":")
    text.quote(picture.origin.description)
    text.add(",\n\"span\":\(picture.span.nanoseconds),\n\"fold\":\(picture.foldedWidth.nanoseconds)")
    text.list("kinds", Picture.Mark.Kind.allCases) { $0.quote($1.rawValue) }
    text.list("states", Picture.Device.State.allCases) { $0.quote($1.rawValue) }
    text.list("lanes", picture.lanes) { text, lane in
      text.row { row in
        row.quote(lane.name)
        row.add(",")
        row.quote(lane.role.rawValue)
        row.add(",")
        row.quote(lane.detail)
      }
    }
    text.list("strings", picture.strings) { $0.quote($1) }
    text.list("said", picture.sayings) { text, saying in
      text.numbers([saying.title] + saying.fields.flatMap { [$0.name, $0.value] })
    }
    let kinds = Picture.Mark.Kind.allCases
    var before = Interval.zero
    text.list("marks", picture.marks) { text, mark in
      let kind = kinds.firstIndex(of: mark.kind) ?? 0
      let since = Int((mark.time - before).nanoseconds)
      text.numbers([since, mark.lane, kind, mark.number, mark.saying, mark.cause])
      before = mark.time
    }
    text.list("lost", picture.losses) { $0.numbers([$1.mark, $1.lane]) }
    text.list("devices", picture.devices) { text, device in add(device, to: &text) }
    text.list("folds", picture.folds) { $0.numbers([Int($1.from.nanoseconds), Int($1.to.nanoseconds)]) }
    text.add("\n}")
    return text.bytes
  }

  private static func add(_ device: Picture.Device, to text: inout Writer) {
    let states = Picture.Device.State.allCases
    text.row { row in
      row.quote(device.name)
      row.add(",")
      row.quote(device.detail)
      row.add(",[")
      for (place, span) in device.spans.enumerated() {
        if place > 0 { row.add(",") }
        let state = states.firstIndex(of: span.state) ?? 0
        row.numbers([Int(span.from.nanoseconds), Int(span.to.nanoseconds), state, span.first, span.last])
      }
      row.add("]")
    }
  }

  private struct Writer {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func quote(_ text: String) {
      for byte in JSONLine.quoted(text).utf8 {
        switch byte {
        case UInt8(ascii: "<"): add("\\u003c")
        case UInt8(ascii: ">"): add("\\u003e")
        case UInt8(ascii: "&"): add("\\u0026")
        default: bytes.append(byte)
        }
      }
    }

    mutating func numbers(_ numbers: [Int]) {
      row { row in
        for (place, number) in numbers.enumerated() {
          if place > 0 { row.add(",") }
          row.add(String(number))
        }
      }
    }

    mutating func row(_ write: (inout Writer) -> Void) {
      add("[")
      write(&self)
      add("]")
    }

    /// A table with a row on each line.
    mutating func list<Row>(_ name: String, _ rows: [Row], _ write: (inout Writer, Row) -> Void) {
      add(",\n\"\(name)\":[")
      for (place, row) in rows.enumerated() {
        add(place > 0 ? ",\n" : "\n")
        write(&self, row)
      }
      add("]")
    }
  }
}
