package import JSON
internal import Time

extension NotificationObject {
  package static let schema = Schema.named(
    NamedSchema(
      name: "NotificationObject",
      schema: .object([
        .required("id", .identifier), .required("account", .identifier),
        .required("type", .choice(Kind.allCases.map(\.rawValue))),
        .required("state", .choice(State.allCases.map(\.rawValue))), .optional("title", .text(maximum: 800)),
        .optional("body", .text(maximum: 1600)), .optional("clientContext", .anything),
        .optional("applicationContext", .anything), .optional("category", .text(maximum: 800)),
        .optional(
          "numberMatching",
          .object([
            .required("type", .choice(["SELECT_NUMBER", "ENTER_MANUALLY"])),
            .optional("options", .array(.integer(MatchedNumber.range))),
          ])
        ), .required("timeoutDuration", .count), .required("receivedAt", .instant),
        .required("expiresAt", .instant),
        .optional(
          "answer",
          .object([
            .required("decision", .choice(["approve", "deny"])),
            .optional("authenticationMethod", .text(maximum: 64)), .optional("reason", .text(maximum: 64)),
            .required("at", .instant),
          ])
        ),
      ])
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "account": .string(account), "type": .string(kind.rawValue),
      "state": .string(state.rawValue),
    ]
    object["title"] = content.title.map { .string($0) }
    object["body"] = content.body.map { .string($0) }
    object["clientContext"] = content.clientContext
    object["applicationContext"] = content.applicationContext
    object["category"] = content.category.map { .string($0) }
    if let type = content.numberMatching {
      var matching: JSONObject = ["type": .string(type)]
      matching["options"] = content.numberOptions.map { .array($0.map(JSON.int)) }
      object["numberMatching"] = .object(matching)
    }
    object["timeoutDuration"] = .int(timeoutDuration)
    object["receivedAt"] = .string(receivedAt.text)
    object["expiresAt"] = .string(expiresAt.text)
    object["answer"] = answer?.json
    return .object(object)
  }
}

extension NotificationObject.Answer {
  fileprivate var json: JSON {
    var object: JSONObject = ["decision": .string(decision)]
    object["authenticationMethod"] = authenticationMethod.map { .string($0) }
    object["reason"] = reason.map { .string($0) }
    object["at"] = .string(at.text)
    return .object(object)
  }
}
