import RollcallPrimitives

/// Which quiet stretches of a picture are folded.
///
/// A stretch is folded where it is more than three times as long as it is then drawn. Of all widths for folds the
/// smallest is taken with which folds take at most a third of the picture: a wider one makes the picture longer. Where
/// none does that, nothing is folded.
enum PictureFolds {
  /// - Parameters:
  ///   - times: of marks, in order.
  ///   - span: the end of the picture; both of its ends count as marks.
  static func folds(
    _ times: [Interval], span: Interval, countMaximum: Int
  ) -> (folds: [Picture.Fold], width: Interval) {
    var gaps: [Picture.Fold] = []
    var before = Interval.zero
    for time in times + [span] {
      gaps.append(Picture.Fold(from: before, to: time))
      before = time
    }
    let lengths = gaps.map { ($0.to - $0.from).nanoseconds }.sorted()
    // Sums of the shortest, so that each width costs one look.
    var sums: [Int64] = [0]
    for length in lengths { sums.append(sums[sums.count - 1].addingSaturating(length)) }
    for width in widths {
      let shortCount = firstIndex(of: lengths, above: width * 3)
      let foldCount = Int64(lengths.count - shortCount)
      let folded = foldCount.multipliedSaturating(by: width)
      let total = sums[shortCount].addingSaturating(folded)
      if foldCount == 0 || foldCount > Int64(countMaximum) || folded > total / 3 { continue }
      return (gaps.filter { ($0.to - $0.from).nanoseconds > width * 3 }, Interval(nanoseconds: width))
    }
    return ([], .zero)
  }

  /// From a microsecond to 5000 seconds, in steps of 1, 2 and 5.
  private static let widths: [Int64] = (3...12).flatMap { power -> [Int64] in
    let unit = (0..<power).reduce(Int64(1)) { value, _ in value * 10 }
    return [unit, unit * 2, unit * 5]
  }

  private static func firstIndex(of sorted: [Int64], above bound: Int64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] <= bound { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
  fileprivate func multipliedSaturating(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
