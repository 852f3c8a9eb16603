import JSON

extension Policy {
  var record: JSON {
    [
      "id": .id(id), "numberMatching": .bool(numberMatching), "pushTimeout": .int(pushTimeout),
      "pairingKeyLifetime": .int(pairingKeyLifetime), "passcodeFailures": .int(passcodeFailures),
      "passcodeCoolDown": .int(passcodeCoolDown), "autoEnrollment": .bool(autoEnrollment),
    ]
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: Policy.self) else { return nil }
    self.init(id: id)
    numberMatching = record.bool("numberMatching") ?? numberMatching
    pushTimeout = record.int("pushTimeout") ?? pushTimeout
    pairingKeyLifetime = record.int("pairingKeyLifetime") ?? pairingKeyLifetime
    passcodeFailures = record.int("passcodeFailures") ?? passcodeFailures
    passcodeCoolDown = record.int("passcodeCoolDown") ?? passcodeCoolDown
    autoEnrollment = record.bool("autoEnrollment") ?? autoEnrollment
  }
}
