internal import JSON

extension JourneyStep {
  /// What it wants a key of this machine for.
  var keyRequest: KeyRequest? { forms.lazy.compactMap(\.keyRequest).first }

  /// The step with that answered, by the ends of the names of inputs.
  func answeringKeyRequest(_ values: [String: String]) -> JourneyStep {
    guard let index = forms.firstIndex(where: { $0.keyRequest != nil }) else { return self }
    var step = self
    for (suffix, value) in values {
      guard let place = callbacks[index].input(endingWith: suffix) else { continue }
      step.forms[index].prefilled[place] = .string(value)
    }
    return step
  }
}
