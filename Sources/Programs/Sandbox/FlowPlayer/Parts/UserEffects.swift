// Effects on users.
extension FlowEffects {
  static let users = [
    object("createUser", ["username"], optional: ["password", "email", "given", "family"]) {
      play,
      values throws(ErrorResponse) in
      let now = play.tenant.clock.now
      var user = PlatformUser(username: values["username"] ?? "", createdAt: now, updatedAt: now)
      user.take(values)
      user.password = values["password"]
      try play.tenant.add(user)
    },
    object("setPassword", ["username", "password"], optional: ["target"]) {
      play,
      values throws(ErrorResponse) in
      var user = try play.user(named: values["username"])
      let password = values["password"] ?? ""
      if let target = values["target"] { try play.tenant.check(password, for: user, target) }
      user.password = password
      user.passwordStatus = .good
      user.updatedAt = play.tenant.clock.now
      play.tenant.users.put(user)
    },
    object("updateUser", [], optional: ["email", "given", "family"]) { play, values throws(ErrorResponse) in
      try play.changeUser { $0.take(values) }
    },
    text("verifyUser", isTrue: true) { play, _ throws(ErrorResponse) in
      try play.changeUser { $0.isVerified = true }
    },
    object("mailCode", ["type", "username"]) { play, values throws(ErrorResponse) in
      guard let kind = values["type"].flatMap(Message.Kind.init) else { throw .unexpected }
      play.sendCode(kind, to: values["username"] ?? "")
    },
    object("checkCode", ["code", "target"]) { play, values throws(ErrorResponse) in
      try play.checkCode(values["code"] ?? "", values["target"] ?? "")
    },
    text("signOn") { play, username throws(ErrorResponse) in play.user = try play.user(named: username).id },
    list("methods") { play, methods in play.methods = methods },
    list("moreMethods") { play, methods in play.methods += methods },
    text("resumeSession", isTrue: true) { play, _ throws(ErrorResponse) in
      guard let session = play.session else { throw .invalidRequest("There is no session.") }
      play.user = session.user
      play.methods = session.methods
    },
    text("startSession", isTrue: true) { play, _ throws(ErrorResponse) in
      let (tenant, user) = (play.tenant, try play.signedOnUser().id)
      let known = tenant.sessions[play.sessionID].flatMap { $0.methods == play.methods ? $0 : nil }
      let acr = play.policy?.id.text ?? play.flow.id
      let session = known ?? tenant.startSession(play.sessionID, of: user, methods: play.methods, acr: acr)
      play.completed = session
      play.turn.token = session.token
    },
  ]
}

extension PlatformUser {
  fileprivate mutating func take(_ values: FlowValues) {
    email = values["email"] ?? email
    given = values["given"] ?? given
    family = values["family"] ?? family
  }
}

extension FlowPlay {
  func signedOnUser() throws(ErrorResponse) -> PlatformUser {
    guard let user = user.flatMap({ tenant.users[$0] }) else {
      throw .invalidRequest("No user has signed on.")
    }
    return user
  }

  func send(_ message: Message) { tenant.messages.put(message) }

  fileprivate func user(named username: String?) throws(ErrorResponse) -> PlatformUser {
    guard let user = tenant.user(named: username ?? "") else {
      throw .invalid("username", "There is no user of this name")
    }
    return user
  }

  fileprivate func changeUser(_ change: (inout PlatformUser) -> Void) throws(ErrorResponse) {
    var user = try signedOnUser()
    change(&user)
    user.updatedAt = tenant.clock.now
    tenant.users.put(user)
  }
}
