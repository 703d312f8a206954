import RollcallPrimitives

/// The interfaces of a live run, each with the number by which its party knows it.
///
/// A run has those that it was asked for. One that follows takes in every other one as soon as it can be used. The
/// number of one that is gone is given to the next one that comes: on a machine on which interfaces come and go for
/// weeks, each under a new name, there are hardly more numbers than interfaces at a time.
struct InterfaceRoll {
  /// What the party is to be told of an interface.
  struct News: Hashable {
    var change: InterfaceChange
    /// It is another interface of the system than before, whatever its name is.
    var isOther: Bool
  }

  /// More are not taken.
  static let countMaximum = 64

  /// By number.
  private(set) var names: [String]
  /// As they were looked at last, by number; `nil`: not yet.
  private(set) var known: [LiveInterface?]
  private let follows: Bool

  /// - Parameters:
  ///   - names: of the interfaces that the run was asked for, in the order of their numbers.
  ///   - follows: whether others are taken in as well.
  init(_ names: [String], follows: Bool) {
    (self.names, self.follows) = (names, follows)
    known = Array(repeating: nil, count: names.count)
  }

  /// What is known of an interface; `nil`: nothing.
  subscript(id: InterfaceID) -> LiveInterface? { Int(id.number) < known.count ? known[Int(id.number)] : nil }

  /// Of an interface, for people.
  func name(of id: InterfaceID) -> String {
    Int(id.number) < names.count ? names[Int(id.number)] : "interface \(id.number)"
  }

  /// Those that are down, or have no address, as they were looked at last.
  var down: [String] {
    zip(names, known).filter { $0.1?.isUsedByParty == false }.map(\.0)
  }

  /// Gives a number to each interface that is there and can be used now; where none is followed, none gets one.
  mutating func takeIn(_ found: [LiveInterface]) {
    guard follows else { return }
    for one in found where one.isUsable && !names.contains(one.name) {
      if let place = names.indices.first(where: { isGone($0, found) }) {
        names[place] = one.name
      } else if names.count < InterfaceRoll.countMaximum {
        names.append(one.name)
        known.append(nil)
      }
    }
  }

  /// Whether it is not there any more, and the party knows that.
  private func isGone(_ place: Int, _ found: [LiveInterface]) -> Bool {
    known[place]?.isUsedByParty == false && !found.contains { $0.name == names[place] }
  }

  /// Compares one with what was known of it; `nil`: nothing is new.
  mutating func look(_ number: Int, in found: [LiveInterface]) -> News? {
    let name = names[number]
    let new = found.first { $0.name == name } ?? LiveInterface(name: name, index: 0, isUp: false)
    let id = InterfaceID(UInt16(number))
    let (change, old) = (new.change(as: id), known[number])
    if let old, old.change(as: id) == change, old.index == new.index { return nil }
    known[number] = new
    return News(change: change, isOther: old.map { $0.index != new.index } ?? false)
  }
}

extension LiveInterface {
  /// Whether a party that is told of it may use it.
  fileprivate var isUsedByParty: Bool { change(as: InterfaceID(0)).isUp }
}
