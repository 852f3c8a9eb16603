internal import ControlAPI

/// SUBMIT_BUTTON: hands in what was filled in.
struct SubmitField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? { nil }

  var actions: [FieldAction] {
    let key = description.key
    return [
      FieldAction(key, description.name, .submit) { flow, input in
        try await flow.submit(input, button: key)
      }
    ]
  }
}

/// FLOW_BUTTON, FLOW_LINK and what custom pages call BUTTON and LINK: goes another way.
struct FlowField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? { nil }

  var actions: [FieldAction] {
    let key = description.key
    return [
      FieldAction(key, description.name, description.type.hasSuffix("LINK") ? .link : .flow) {
        flow,
        input in
        try await flow.leave(input, button: key)
      }
    ]
  }
}
