/// How unlike two names are: for errors that say which name may have been meant.
package enum EditDistance {
  /// Bytes put in, taken out or exchanged on the way from one to the other.
  package static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = byte == other ? diagonal : min(diagonal, above, row[j]) + 1
        diagonal = above
      }
    }
    return row[right.count]
  }
}
