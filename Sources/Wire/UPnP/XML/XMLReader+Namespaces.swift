extension XMLReader {
  /// Numbers of namespaces: equal numbers, equal namespaces. Those of declarations hold while the declaration does.
  enum Namespace {
    static let none = 0
    static let xml = 1
    static let xmlns = 2
    /// Of every prefix that nobody declared.
    static let unbound = 3
    static let firstDeclared = 4
    static let xmlName = "http://www.w3.org/XML/1998/namespace"
    static let xmlnsName = "http://www.w3.org/2000/xmlns/"
  }

  /// A declaration.
  struct Binding {
    /// The prefix in the document; empty for the default namespace.
    var start: Int
    var end: Int
    var namespace: Int
    var name: String
  }

  var defaultNamespace: Int {
    var index = bindings.count &- 1
    while index >= 0, bindings[index].start != bindings[index].end { index &-= 1 }
    return index < 0 ? Namespace.none : bindings[index].namespace
  }

  func uri(of namespace: Int) -> String {
    switch namespace {
    case Namespace.none: ""
    case Namespace.xml: Namespace.xmlName
    case Namespace.xmlns: Namespace.xmlnsName
    default: bindings.last { $0.namespace == namespace }?.name ?? ""
    }
  }

  /// Takes the declarations of the last start tag, and finds the namespaces of its name and its attributes.
  mutating func resolveNames() throws(XMLFault) {
    for index in slots.indices {
      let slot = slots[index]
      if slot.colon < slot.start {
        guard isText(slot.start, slot.end, "xmlns") else { continue }
        try declare(slot, start: slot.end)
      } else {
        guard isText(slot.start, slot.colon, "xmlns") else { continue }
        try declare(slot, start: slot.colon &+ 1)
      }
      (slots[index].namespace, slots[index].isDeclaration) = (Namespace.xmlns, true)
    }
    current.namespace =
      current.colon < current.start ? defaultNamespace : try namespace(ofPrefix: current.start, current.colon)
    for index in slots.indices where !slots[index].isDeclaration && slots[index].colon >= slots[index].start {
      slots[index].namespace = try namespace(ofPrefix: slots[index].start, slots[index].colon)
    }
    if slots.count > 1 { try checkDuplicates() }
  }

  /// - Parameter start: of the prefix in the document; of the default namespace, the end of `xmlns`.
  private mutating func declare(_ slot: AttributeSlot, start: Int) throws(XMLFault) {
    guard bindings.count < limits.namespaces else {
      throw fault(
        .tooManyNamespaces, at: slot.start, expected: "at most \(limits.namespaces) namespaces", found: "one more")
    }
    let uri = value(slot)
    let isXML = isText(start, slot.end, "xml")
    guard !isText(start, slot.end, "xmlns"), isXML == uri.utf8.elementsEqual(Namespace.xmlName.utf8),
      !uri.utf8.elementsEqual(Namespace.xmlnsName.utf8)
    else {
      throw fault(.reservedNamespace, at: slot.start, expected: "no other meaning of “xml” and “xmlns”")
    }
    if uri.isEmpty, start < slot.end {
      throw fault(.emptyNamespace, at: slot.start, expected: "a namespace for a prefix")
    }
    var number = uri.isEmpty ? Namespace.none : isXML ? Namespace.xml : nextNamespace
    // By bytes: strings that differ only in how their accents are written are equal, and are two namespaces.
    if let same = bindings.first(where: { $0.name.utf8.elementsEqual(uri.utf8) }) {
      number = same.namespace
    } else {
      nextNamespace &+= 1
    }
    bindings.append(Binding(start: start, end: slot.end, namespace: number, name: uri))
  }

  private mutating func namespace(ofPrefix start: Int, _ end: Int) throws(XMLFault) -> Int {
    var index = bindings.count &- 1
    while index >= 0 {
      if bindings[index].end &- bindings[index].start == end &- start,
        compare(bindings[index].start, start, end &- start) == 0
      {
        return bindings[index].namespace
      }
      index &-= 1
    }
    if isText(start, end, "xml") { return Namespace.xml }
    if isText(start, end, "xmlns") {
      throw fault(.reservedNamespace, at: start, expected: "“xmlns” only before a prefix that is declared")
    }
    try allowLeniently(.unboundPrefix, at: start, expected: "a prefix that is declared")
    return Namespace.unbound
  }

  /// No two attributes have the same namespace and the same local name; of prefixes that nobody declared, the same prefix.
  private mutating func checkDuplicates() throws(XMLFault) {
    var places = Array(slots.indices)
    if places.count > 8 {
      // In order, equal ones stand side by side: no document can make this slow, whatever its names are.
      places.sort { order($0, $1) < 0 }
      for index in 1..<places.count where order(places[index &- 1], places[index]) == 0 {
        throw duplicate(max(places[index &- 1], places[index]))
      }
      return
    }
    for second in 1..<places.count {
      for first in 0..<second where order(first, second) == 0 { throw duplicate(second) }
    }
  }

  private mutating func duplicate(_ place: Int) -> XMLFault {
    fault(.duplicateAttribute, at: slots[place].start, expected: "an attribute that the element does not have yet")
  }

  /// Below 0, 0 or above 0, as two attributes stand in an order of all names.
  private func order(_ left: Int, _ right: Int) -> Int {
    let (left, right) = (slots[left], slots[right])
    if left.namespace != right.namespace { return left.namespace &- right.namespace }
    let isWhole = left.namespace == Namespace.unbound
    let leftStart = isWhole ? left.start : left.colon &+ 1
    let rightStart = isWhole ? right.start : right.colon &+ 1
    let (leftCount, rightCount) = (left.end &- leftStart, right.end &- rightStart)
    return leftCount == rightCount ? compare(leftStart, rightStart, leftCount) : leftCount &- rightCount
  }

  private func compare(_ left: Int, _ right: Int, _ count: Int) -> Int {
    for index in 0..<count where bytes[left &+ index] != bytes[right &+ index] {
      return Int(bytes[left &+ index]) &- Int(bytes[right &+ index])
    }
    return 0
  }

  /// Whether the document has this text, and nothing else, between two offsets.
  @inline(__always) func isText(_ start: Int, _ end: Int, _ text: StaticString) -> Bool {
    guard end &- start == text.utf8CodeUnitCount else { return false }
    for index in 0..<(end &- start) where bytes[start &+ index] != text.utf8Start[index] { return false }
    return true
  }
}
