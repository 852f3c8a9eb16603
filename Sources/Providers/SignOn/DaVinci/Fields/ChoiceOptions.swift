internal import ControlAPI

/// The options of a field, made once a page: both the options and the values to look for may be many.
struct ChoiceOptions: Sendable {
  let all: [Collector.Option]
  private let values: Set<String>

  init(_ all: [Collector.Option]) { (self.all, values) = (all, Set(all.map(\.value))) }

  /// Whether a value is one of theirs.
  func contains(_ value: String) -> Bool { values.contains(value) }
}
