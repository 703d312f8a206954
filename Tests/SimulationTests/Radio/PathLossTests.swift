import Foundation
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// Path loss in integers, against the formula in floating point.
@Suite struct PathLossTests {
  private func formula(_ metres: Double, _ exponent: Double) -> Double {
    max(20, 39.604 + 10 * exponent * log10(metres))
  }

  @Test func `the loss is within a hundredth of a decibel of the formula, for distances up to kilometres`() {
    for exponentTenths in [10, 20, 25, 33, 60] {
      var millimetres: Int64 = 1
      while millimetres < 200_000_000 {
        let loss = PathLoss.thousandths(
          squareDistance: UInt64(millimetres * millimetres), exponentTenths: exponentTenths)
        let expected = formula(Double(millimetres) / 1_000, Double(exponentTenths) / 10)
        #expect(abs(Double(loss) / 1_000 - expected) < 0.01, "\(millimetres) mm, exponent \(exponentTenths) tenths")
        millimetres = millimetres * 13 / 10 + 1
      }
    }
  }

  @Test func `at four metres 0 dBm become -51.6 dBm, at one metre -39.6`() {
    #expect(abs(PathLoss.thousandths(squareDistance: 16_000_000, exponentTenths: 20) - 51_645) <= 1)
    #expect(abs(PathLoss.thousandths(squareDistance: 1_000_000, exponentTenths: 20) - 39_604) <= 1)
  }

  @Test func `two radios at one place lose 20 dB, and no distance loses less`() {
    expectEqual(PathLoss.thousandths(squareDistance: 0, exponentTenths: 20), 20_000)
    expectEqual(PathLoss.thousandths(squareDistance: 1, exponentTenths: 20), 20_000)
    #expect(PathLoss.thousandths(squareDistance: 105 * 105, exponentTenths: 20) > 20_000)
  }

  @Test func `shadowing belongs to the pair, whichever sends, and has the deviation that was asked for`() {
    let seed = Seed(7)
    expectEqual(PathLoss.shadowing(0, "a", "b", seed), 0)
    expectEqual(PathLoss.shadowing(4_000, "a", "b", seed), PathLoss.shadowing(4_000, "b", "a", seed))
    #expect(PathLoss.shadowing(4_000, "a", "b", seed) != PathLoss.shadowing(4_000, "a", "c", seed))
    let draws = (0..<4_000).map { Double(PathLoss.shadowing(4_000, "a", "b\($0)", seed)) }
    let mean = draws.reduce(0, +) / 4_000
    let deviation = (draws.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 3_999).squareRoot()
    #expect(abs(mean) < 250)
    #expect(abs(deviation - 4_000) < 200)
    #expect(draws.allSatisfy { abs($0) <= 24_000 })
  }

  @Test func `the distance counts all three coordinates, either way`() {
    let one = Position(x: 1, y: 2, z: 3)
    expectEqual(one.squareDistance(to: Position(x: 4, y: 6, z: 15)), 9 + 16 + 144)
    expectEqual(Position(x: 4, y: 6, z: 15).squareDistance(to: one), 169)
    expectEqual(Position(x: -1, y: -2, z: -3).squareDistance(to: one), 4 + 16 + 36)
    let far = Position.millimetresMaximum
    expectEqual(
      Position(x: far, y: far, z: far).squareDistance(to: Position(x: -far, y: -far, z: -far)),
      12 * UInt64(far) * UInt64(far))
    expectEqual(far, 100_000_000)
  }

  @Test func `a walk goes straight and steadily, and stays where it ends`() {
    let plan = RadioHostPlan(
      name: "a", position: Position(x: 0, y: 1_000, z: -10),
      walks: [
        Walk(start: .zero + .seconds(10), duration: .seconds(10), to: Position(x: 1_000, y: 0, z: -10)),
        Walk(start: .zero + .seconds(30), duration: .zero, to: Position(x: -5, y: 0, z: 0)),
      ])
    func position(_ seconds: Int64) -> Position { plan.position(at: .zero + .seconds(seconds)) }
    expectEqual(position(0), Position(x: 0, y: 1_000, z: -10))
    expectEqual(position(10), Position(x: 0, y: 1_000, z: -10))
    expectEqual(position(13), Position(x: 300, y: 700, z: -10))
    expectEqual(position(20), Position(x: 1_000, y: 0, z: -10))
    expectEqual(position(29), Position(x: 1_000, y: 0, z: -10))
    expectEqual(position(30), Position(x: -5, y: 0, z: 0))
    expectEqual(position(3_000), Position(x: -5, y: 0, z: 0))
  }
}
