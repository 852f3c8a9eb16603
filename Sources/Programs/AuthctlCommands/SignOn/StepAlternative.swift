internal import ControlClient
internal import JSON

/// An alternative to answering the questions of a step.
struct StepAlternative {
  enum Kind {
    case action(String)
    /// An option of a field, for a waiting step.
    case option(field: String, value: JSON)
    /// The questions of a waiting step.
    case questions
    /// A page of another provider that ends at an address.
    case page(String)
  }

  let label: SafeText
  let kind: Kind

  /// Returns the alternatives that a form shows next to its questions.
  static func besides(_ step: DialogueStep) -> [StepAlternative] {
    let submits = step.actions.filter(\.isSubmit)
    return (submits.isEmpty ? [] : actions(step.actions.filter { !$0.isSubmit })) + pages(of: step)
  }

  static func all(of step: DialogueStep) -> [StepAlternative] { actions(step.actions) + pages(of: step) }

  static func whileWaiting(_ step: DialogueStep) -> [StepAlternative] {
    let questions = step.questions.filter { $0.options.isEmpty || $0.prompt.takesSeveral }
    let options = step.questions.filter { !$0.options.isEmpty && !$0.prompt.takesSeveral }.flatMap { field in
      field.options.map {
        StepAlternative(label: $0.label, kind: .option(field: field.key, value: .string($0.value)))
      }
    }
    let names = questions.map(\.label).joined(separator: ", ")
    let form = questions.isEmpty ? [] : [StepAlternative(label: "answer: \(names)", kind: .questions)]
    let others = step.questions.isEmpty ? step.actions : step.actions.filter { !$0.isSubmit }
    return form + options + actions(others) + pages(of: step)
  }

  private static func actions(_ actions: [Action]) -> [StepAlternative] {
    actions.map { StepAlternative(label: $0.label, kind: .action($0.key)) }
  }

  private static func pages(of step: DialogueStep) -> [StepAlternative] {
    let keys = step.actions.map(\.key)
    return step.fields.compactMap { field in
      guard let address = field.prompt.page(field), !keys.contains(field.key) else { return nil }
      return StepAlternative(label: "\(field.label), in a browser", kind: .page(address))
    }
  }

  /// Returns the alternatives as a list.
  ///
  /// If the list is the question (`areAsked`), the numbers are the answers. Otherwise a colon before the
  /// number distinguishes an alternative from an answer.
  static func list(_ ways: [StepAlternative], areAsked: Bool) -> [SafeText] {
    Columns.numbered(ways.map(\.label), after: areAsked ? "  " : "  :")
  }
}
