/// Keys and values in the order in which the keys came, each key once, as an object of JSON has them.
public struct StoredPairs: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  public struct Pair: Hashable, Sendable {
    public let key: String
    public var value: String

    public init(key: String, value: String) { (self.key, self.value) = (key, value) }
  }

  public private(set) var elements: [Pair]

  public init(dictionaryLiteral pairs: (String, String)...) {
    elements = []
    for (key, value) in pairs { self[key] = value }
  }

  /// - Parameter pairs: of two with the same key the later one counts, at the place of the first.
  public init(_ pairs: [Pair]) {
    elements = []
    elements.reserveCapacity(pairs.count)
    for pair in pairs { self[pair.key] = pair.value }
  }

  /// - Parameter pairs: no key stands twice, as in what was written before.
  public init(unique pairs: [Pair]) { elements = pairs }

  /// The value of a key. To set `nil` removes the key; a new key comes last.
  public subscript(key: String) -> String? {
    get { place(of: key).map { elements[$0].value } }
    set {
      switch (place(of: key), newValue) {
      case (let place?, let value?): elements[place].value = value
      case (let place?, nil): elements.remove(at: place)
      case (nil, let value?): elements.append(Pair(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Every pair of `newer` is set; no key is removed.
  public mutating func merge(_ newer: StoredPairs) { for pair in newer.elements { self[pair.key] = pair.value } }

  /// By bytes: a letter that can be written in two ways makes two keys.
  private func place(of key: String) -> Int? { elements.firstIndex { $0.key.utf8.elementsEqual(key.utf8) } }
}
