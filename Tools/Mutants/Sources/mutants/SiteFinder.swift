import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds what can be changed in a file.
final class SiteFinder: SyntaxVisitor {
  private(set) var sites: [Site] = []
  private let source: [UInt8]
  private let defaulted: Set<DefaultedParameter>
  private var names: [String] = []
  private var bodies: [Range<Int>] = []
  private var places: [String: Site] = [:]

  /// - Parameter defaulted: the parameters of the module that a call may leave out.
  init(source: [UInt8], defaulted: Set<DefaultedParameter>) {
    (self.source, self.defaulted) = (source, defaulted)
    super.init(viewMode: .sourceAccurate)
  }

  static func parse(_ text: String) -> SourceFileSyntax {
    let tree = Parser.parse(source: text)
    let folded = OperatorTable.standardOperators.foldAll(tree) { _ in }
    return folded.cast(SourceFileSyntax.self)
  }

  // MARK: - Where we are

  private func enter(_ name: String, _ node: some SyntaxProtocol) {
    names.append(name)
    bodies.append(range(of: node))
  }
  private func leave() {
    names.removeLast()
    bodies.removeLast()
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text, node); return .visitChildren
  }
  override func visitPost(_ node: StructDeclSyntax) { leave() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text, node); return .visitChildren
  }
  override func visitPost(_ node: ClassDeclSyntax) { leave() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text, node); return .visitChildren
  }
  override func visitPost(_ node: EnumDeclSyntax) { leave() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text, node); return .visitChildren
  }
  override func visitPost(_ node: ActorDeclSyntax) { leave() }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text, node); return .visitChildren
  }
  override func visitPost(_ node: ProtocolDeclSyntax) { leave() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.extendedType.trimmedDescription, node)
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    let labels = node.signature.parameterClause.parameters.map { $0.firstName.text + ":" }.joined()
    enter("\(node.name.text)(\(labels))", node)
    return .visitChildren
  }
  override func visitPost(_ node: FunctionDeclSyntax) { leave() }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    enter("init(\(node.signature.parameterClause.parameters.map { $0.firstName.text + ":" }.joined()))", node)
    return .visitChildren
  }
  override func visitPost(_ node: InitializerDeclSyntax) { leave() }
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    enter("subscript", node); return .visitChildren
  }
  override func visitPost(_ node: SubscriptDeclSyntax) { leave() }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let isMember = node.parent?.is(MemberBlockItemSyntax.self) == true || names.isEmpty
    enter(isMember ? node.bindings.first?.pattern.trimmedDescription ?? "var" : "", node)
    // A constant that is declared is no decision of the code that runs.
    return .visitChildren
  }
  override func visitPost(_ node: VariableDeclSyntax) { leave() }

  private var function: String { names.filter { !$0.isEmpty }.joined(separator: ".") }

  // MARK: - What is left alone

  override func visit(_ node: AttributeListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: SwitchCaseItemSyntax) -> SyntaxVisitorContinueKind {
    node.whereClause == nil ? .skipChildren : .visitChildren
  }
  override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
    node.elements.count > 4 ? .skipChildren : .visitChildren
  }
  override func visit(_ node: DictionaryExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  /// Prepared text is read by people; what chooses between texts is changed elsewhere.
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  // MARK: - Conditions

  override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
    if case .expression(let condition) = node.condition, !condition.is(BooleanLiteralExprSyntax.self) {
      negate(condition, .negatedCondition)
    }
    return .visitChildren
  }

  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition, .negatedCondition)
    return .visitChildren
  }

  override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
    negate(node.condition, .negatedCondition)
    return .visitChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let other = node.literal.text == "true" ? "false" : "true"
    add(node, .literal, other)
    return .skipChildren
  }

  private func negate(_ condition: ExprSyntax, _ change: Change) {
    // An operator is exchanged, which says it shorter.
    if let infix = condition.as(InfixOperatorExprSyntax.self),
      ["==", "!=", "===", "!==", "<", "<=", ">", ">=", "&&", "||"].contains(infix.operator.trimmedDescription)
    {
      return
    }
    add(condition, change, "!(\(condition.trimmedDescription))")
  }

  // MARK: - Operators

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    func exchanged(_ other: String, _ change: Change) {
      add(
        node, change, "\(left) \(other) \(right)",
        label: "\(left) \(node.operator.trimmedDescription) \(right) -> \(other)")
    }
    switch node.operator.trimmedDescription {
    case "<": exchanged("<=", .shiftedBound); exchanged(">", .turnedComparison)
    case "<=": exchanged("<", .shiftedBound); exchanged(">", .turnedComparison)
    case ">": exchanged(">=", .shiftedBound); exchanged("<", .turnedComparison)
    case ">=": exchanged(">", .shiftedBound); exchanged("<", .turnedComparison)
    case "==": exchanged("!=", .equality)
    case "!=": exchanged("==", .equality)
    case "===": exchanged("!==", .equality)
    case "!==": exchanged("===", .equality)
    case "&&": exchanged("||", .logic)
    case "||": exchanged("&&", .logic)
    case "+" where !isText(node): exchanged("-", .arithmetic)
    case "-": exchanged("+", .arithmetic)
    case "&+": exchanged("&-", .arithmetic)
    case "&-": exchanged("&+", .arithmetic)
    case "*": exchanged("/", .arithmetic)
    case "/": exchanged("*", .arithmetic)
    case "<<": exchanged(">>", .arithmetic)
    case ">>": exchanged("<<", .arithmetic)
    case "&": exchanged("|", .arithmetic)
    case "|": exchanged("&", .arithmetic)
    case "??": add(node, .fallback, right)
    case "+=" where !isText(node): statement(node, "\(left) -= \(right)", .arithmetic)
    case "-=": statement(node, "\(left) += \(right)", .arithmetic)
    case "..<": shift(node.rightOperand)
    case "...": shift(node.rightOperand)
    default: break
    }
    return .visitChildren
  }

  private func isText(_ node: InfixOperatorExprSyntax) -> Bool {
    [node.leftOperand, node.rightOperand].contains {
      if $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self) { return true }
      if let inner = $0.as(InfixOperatorExprSyntax.self) { return isText(inner) }
      return false
    }
  }

  /// The upper end of a range, one less.
  private func shift(_ bound: ExprSyntax) {
    if bound.is(IntegerLiteralExprSyntax.self) { return }
    add(bound, .shiftedBound, "(\(bound.trimmedDescription)) - 1")
  }

  override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if node.operator.text == "!", isOperand(node) { add(node, .negatedCondition, node.expression.trimmedDescription) }
    return node.operator.text == "-" ? .skipChildren : .visitChildren
  }

  /// Whether an expression is part of a larger one, where no condition was negated already.
  private func isOperand(_ node: PrefixOperatorExprSyntax) -> Bool {
    node.parent?.is(ConditionElementSyntax.self) != true
  }

  // MARK: - Constants

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let digits = node.literal.text.filter { $0 != "_" }
    guard let value = Self.value(digits), value < 1 << 17 || !digits.hasPrefix("0x") else { return .skipChildren }
    if node.parent?.is(EnumCaseElementSyntax.self) == true || isTupleIndex(node) { return .skipChildren }
    add(node, .constant, "\(value + 1)")
    return .skipChildren
  }

  private func isTupleIndex(_ node: IntegerLiteralExprSyntax) -> Bool {
    node.parent?.is(MemberAccessExprSyntax.self) == true || node.parent?.is(DeclReferenceExprSyntax.self) == true
  }

  private static func value(_ digits: String) -> Int? {
    if digits.hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
    if digits.hasPrefix("0b") { return Int(digits.dropFirst(2), radix: 2) }
    return Int(digits)
  }

  // MARK: - Calls

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let others = [
      "first": "last", "last": "first", "lowerBound": "upperBound", "upperBound": "lowerBound",
    ]
    if let base = node.base, let other = others[node.declName.baseName.text],
      node.declName.argumentNames == nil,
      node.parent?.is(FunctionCallExprSyntax.self) != true
        || node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id != node.id
    {
      add(node, .end, "\(base.trimmedDescription).\(other)")
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let called = node.calledExpression
    let name =
      called.as(DeclReferenceExprSyntax.self)?.baseName.text
      ?? called.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    guard let name else { return .visitChildren }
    if ["precondition", "assert", "preconditionFailure", "fatalError"].contains(name) { return .skipChildren }
    if let other = ["min": "max", "max": "min"][name], node.arguments.count >= 1 {
      let text = node.trimmedDescription
      if let reference = called.as(DeclReferenceExprSyntax.self) {
        add(node, .end, other + String(text.dropFirst(reference.trimmedDescription.count)))
      } else if let member = called.as(MemberAccessExprSyntax.self), let base = member.base {
        let head = base.trimmedDescription + "."
        if text.hasPrefix(head + name) {
          add(node, .end, head + other + String(text.dropFirst(head.count + name.count)))
        }
      }
    }
    dropArguments(of: node, named: name)
    return .visitChildren
  }

  private func dropArguments(of node: FunctionCallExprSyntax, named name: String) {
    guard node.rightParen != nil else { return }
    for argument in node.arguments {
      guard let label = argument.label?.text, defaulted.contains(DefaultedParameter(function: name, label: label))
      else {
        continue
      }
      let kept = node.arguments.filter { $0.id != argument.id }.map { argument in
        (argument.label.map { "\($0.text): " } ?? "") + argument.expression.trimmedDescription
      }
      let trailing =
        [node.trailingClosure?.trimmedDescription ?? ""] + node.additionalTrailingClosures.map(\.trimmedDescription)
      let text =
        "\(node.calledExpression.trimmedDescription)(\(kept.joined(separator: ", ")))" + trailing.joined(separator: " ")
      add(
        node, .argument, text, label: "\(name)(\(label): \(argument.expression.trimmedDescription)) -> without \(label)"
      )
    }
  }

  // MARK: - Statements

  override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
    guard let list = node.parent?.as(CodeBlockItemListSyntax.self) else { return .visitChildren }
    switch node.item {
    case .expr(let expression):
      if isDroppable(expression), !isValue(node, of: list) { dropStatement(node) }
    case .stmt(let statement):
      if statement.is(ContinueStmtSyntax.self), !isInGuard(list) { dropStatement(node) }
      if let returned = statement.as(ReturnStmtSyntax.self), returned.expression == nil, !isInGuard(list) {
        dropStatement(node)
      }
      if let broken = statement.as(BreakStmtSyntax.self), broken.label != nil, !isInGuard(list) { dropStatement(node) }
    default: break
    }
    return .visitChildren
  }

  /// Without the semicolon behind it.
  private func dropStatement(_ node: CodeBlockItemSyntax) { statement(node.item, "", .statement) }

  private func isDroppable(_ expression: ExprSyntax) -> Bool {
    var expression = expression
    while let inner = expression.as(TryExprSyntax.self)?.expression ?? expression.as(UnsafeExprSyntax.self)?.expression
    {
      expression = inner
    }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      let text = call.calledExpression.trimmedDescription
      return !text.hasSuffix("init") && !["precondition", "assert", "fatalError", "preconditionFailure"].contains(text)
    }
    guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
    if infix.operator.is(AssignmentExprSyntax.self) {
      return !isInInitializer && !infix.leftOperand.is(DiscardAssignmentExprSyntax.self)
    }
    return infix.operator.trimmedDescription.hasSuffix("=")
      && !["==", "!=", "<=", ">="].contains(infix.operator.trimmedDescription)
  }

  /// What an initializer assigns has to be assigned.
  private var isInInitializer: Bool { names.last { !$0.isEmpty }?.hasPrefix("init(") == true }

  /// Whether the only item of a block is its value.
  private func isValue(_ item: CodeBlockItemSyntax, of list: CodeBlockItemListSyntax) -> Bool {
    guard list.count == 1 else { return false }
    var node: Syntax? = list.parent
    while let current = node {
      if current.is(ClosureExprSyntax.self) { return true }
      if let function = current.as(FunctionDeclSyntax.self) { return function.signature.returnClause != nil }
      if current.is(InitializerDeclSyntax.self) { return false }
      if let accessor = current.as(AccessorDeclSyntax.self) { return accessor.accessorSpecifier.text == "get" }
      if current.is(PatternBindingSyntax.self) || current.is(SubscriptDeclSyntax.self) { return true }
      if current.is(ForStmtSyntax.self) || current.is(WhileStmtSyntax.self) { return false }
      if let block = current.as(CodeBlockItemListSyntax.self), block.count > 1 { return false }
      node = current.parent
    }
    return false
  }

  private func isInGuard(_ list: CodeBlockItemListSyntax) -> Bool {
    list.parent?.parent?.is(GuardStmtSyntax.self) == true
  }

  /// Neighbouring cases without bindings exchange their bodies.
  override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
    let cases = node.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    func isPlain(_ one: SwitchCaseSyntax) -> Bool {
      guard let label = one.label.as(SwitchCaseLabelSyntax.self) else { return false }
      return !label.trimmedDescription.contains("let ") && !label.trimmedDescription.contains("var ")
        && one.statements.count == 1
    }
    for (one, next) in zip(cases, cases.dropFirst()) where isPlain(one) && isPlain(next) {
      let (this, other) = (one.statements.trimmedDescription, next.statements.trimmedDescription)
      // What is said is read by people.
      if this == other || this.hasPrefix("\"") || this.hasPrefix("return \"") { continue }
      if let item = one.statements.first, case .expr(let expression) = item.item,
        next.statements.first?.item.is(ExprSyntax.self) == true,
        !isDroppable(expression)
      {
        add(expression, .armsSwapped, other, label: "\(one.label.trimmedDescription) does \(other)")
      } else if let item = one.statements.first {
        statement(item, other, .armsSwapped, label: "\(one.label.trimmedDescription) does \(other)")
      }
    }
    return .visitChildren
  }

  // MARK: - Noting

  private func add(_ node: some ExprSyntaxProtocol, _ change: Change, _ text: String, label: String? = nil) {
    note(range(of: node), .expression, change, text, label ?? "\(node.trimmedDescription) -> \(text)")
  }

  private func statement(_ node: some SyntaxProtocol, _ text: String, _ change: Change, label: String? = nil) {
    note(range(of: node), .statement, change, text, label ?? "\(node.trimmedDescription) -> \(text)")
  }

  private func note(_ range: Range<Int>, _ form: Site.Form, _ change: Change, _ text: String, _ label: String) {
    guard !names.isEmpty else { return }
    let place = "\(range.lowerBound) \(range.upperBound) \(form)"
    let site = places[place] ?? Site(range: range, form: form, function: function, body: bodies.last ?? range)
    if places[place] == nil {
      places[place] = site
      sites.append(site)
    }
    site.alternatives.append(Site.Alternative(change: change, text: text, label: Self.folded(label)))
  }

  /// White space folded and cut to what fits into a table.
  static func folded(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { line in
      line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? String(line)
    }
    let folded = lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard folded.count > 120 else { return folded }
    var sum: UInt32 = 2_166_136_261
    for byte in folded.utf8 { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return folded.prefix(56) + " … " + folded.suffix(44) + " #" + String(sum, radix: 16)
  }

  private func range(of node: some SyntaxProtocol) -> Range<Int> {
    node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
  }
}

/// A parameter with a default value.
struct DefaultedParameter: Hashable {
  /// Of a type, for initializers.
  var function: String
  var label: String
}

/// Gathers the parameters that calls may leave out.
final class DefaultFinder: SyntaxVisitor {
  private(set) var found = Set<DefaultedParameter>()
  private var types: [String] = []

  init() { super.init(viewMode: .sourceAccurate) }

  private func take(_ parameters: FunctionParameterListSyntax, of name: String) {
    for parameter in parameters where parameter.defaultValue != nil {
      found.insert(DefaultedParameter(function: name, label: parameter.firstName.text))
    }
  }
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    take(node.signature.parameterClause.parameters, of: node.name.text)
    return .visitChildren
  }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    if let type = types.last { take(node.signature.parameterClause.parameters, of: type) }
    return .visitChildren
  }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    types.append(node.name.text); return .visitChildren
  }
  override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    types.append(node.name.text); return .visitChildren
  }
  override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    types.append(node.extendedType.trimmedDescription)
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }
}
