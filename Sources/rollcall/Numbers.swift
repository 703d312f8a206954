/// Numbers that a person typed, refused before anything is done.
enum Numbers {
  static func check(_ value: Int, _ range: ClosedRange<Int>, _ option: String) throws {
    if !range.contains(value) {
      throw Complaint("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), and not \(value)")
    }
  }
}
