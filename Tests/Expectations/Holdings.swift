/// How many elements all collections have together that `value` holds, in its properties and in theirs: what grows where
/// something is kept that should have gone.
///
/// An object that several properties refer to is counted each time; one that refers to itself must not be given.
public func heldElements(of value: Any) -> Int {
  let mirror = Mirror(reflecting: value)
  var count = 0
  switch mirror.displayStyle {
  case .collection, .dictionary, .set: count += mirror.children.count
  default: break
  }
  return mirror.children.reduce(count) { $0 + heldElements(of: $1.value) }
}
