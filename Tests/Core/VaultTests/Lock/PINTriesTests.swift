import EventLoop
import Glibc
import JSONRPC
import SQLite
import TestLoop
import TestNetwork
import TestPlatform
import Testing

@testable import Vault

@Suite("PIN tries after restoring a backup", .timeLimit(.minutes(30)))
struct PINTriesTests {
  @Test("restoring a state does not mix the tries of two owners")
  func neighbours() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try await stage.set(owner: PutBackStage.neighbour)
      try stage.restart { try stage.copy(stage.state, as: "older") }
      await stage.tryInVain(10, owner: PutBackStage.neighbour)
      try stage.restart { try stage.putBack("older", as: stage.state) }
      #expect(await stage.left(owner: PutBackStage.neighbour) == "PIN_DISABLED")
      #expect(await stage.left() == "9")
      #expect(await stage.refusal(of: PutBackStage.pin) == nil)
    }
  }

  @Test("a right PIN resets only its own owner's tries")
  func lowering() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try await stage.set(owner: PutBackStage.neighbour)
      try stage.restart { try stage.copy(stage.state, as: "older") }
      await stage.tryInVain(5, owner: PutBackStage.neighbour)
      #expect(await stage.refusal(of: PutBackStage.pin) == nil)
      try stage.change()
      try stage.restart { try stage.putBack("older", as: stage.state) }
      #expect(await stage.left(owner: PutBackStage.neighbour) == "4")
      #expect(await stage.left() == "9")
    }
  }

  @Test("a PIN that returns after the erasure of its owner is disabled")
  func erased() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try stage.restart { try stage.copy(stage.state, as: "older") }
      try await stage.life.owners.erase(PutBackStage.owner)
      try stage.restart { try stage.putBack("older", as: stage.state) }
      #expect(await stage.left() == "PIN_DISABLED")
    }
  }

  @Test("a PIN set after erasure does not inherit the tries of the earlier one")
  func earlier() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      await stage.tryInVain(9)
      try await stage.life.owners.erase(PutBackStage.owner)
      try await stage.set(PutBackStage.other)
      try stage.restart { try stage.copy(stage.state, as: "older") }
      try stage.change()
      try stage.restart { try stage.putBack("older", as: stage.state) }
      #expect(await stage.left() == "9")
      #expect(await stage.refusal(of: PutBackStage.other) == nil)
    }
  }

  @Test("each PIN keeps its tries in every backup; a much older PIN has none left")
  func replaced() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try stage.restart { try stage.copy(stage.state, as: "older") }
      try await stage.set(PutBackStage.other, current: PutBackStage.pin)
      await stage.tryInVain(3)
      try stage.restart { try stage.copy(stage.state, as: "newer") }
      for (copy, left) in [("older", "9"), ("newer", "6"), ("older", "8")] {
        try stage.restart { try stage.putBack(copy, as: stage.state) }
        #expect(await stage.left() == left, "\(copy)")
      }
      var last = PutBackStage.pin
      for next in ["930415", "930416", "930417", "930418"] {
        stage.clock.pass(.seconds(60))
        try await stage.set(next, current: last)
        last = next
      }
      try stage.restart { try stage.putBack("older", as: stage.state) }
      #expect(await stage.left() == "PIN_DISABLED")
    }
  }

  @Test(
    "a PIN row changed without the key is disabled",
    arguments: [
      "UPDATE pin SET tries = 0", "UPDATE pin SET tries = -100", "UPDATE pin SET salt = x'00'",
    ] as [StaticString]
  )
  func tampering(_ statement: StaticString) async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      await stage.tryInVain(2)
      try stage.restart { try Database(path: Vault.path(in: stage.state)).executeScript(statement) }
      #expect(try stage.life.lock.state(of: PutBackStage.owner) == .disabled)
      #expect(await stage.refusal(of: PutBackStage.pin)?.reason == "PIN_DISABLED")
      #expect(await stage.left() == "PIN_DISABLED")
    }
  }

  @Test("unreadable rollback files neither restore nor use tries")
  func unreadable() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try stage.restart { try stage.copy(stage.state, as: "older") }
      await stage.tryInVain(4)
      try stage.restart {
        try stage.copy(stage.beside, as: "beside")
        try stage.putBack("older", as: stage.state)
        for file in try TestProgram.run(["find", stage.beside, "-type", "f"]).split(separator: "\n") {
          _ = try TestProgram.run(["rm", String(file)])
          _ = try TestProgram.run(["mkdir", String(file)])
        }
      }
      #expect(try !stage.life.counter.isKept && stage.findings.isEmpty)
      #expect(try stage.life.lock.state(of: PutBackStage.owner) == .locked)
      for pin in ["wrong one", PutBackStage.pin] {
        #expect(await stage.refusal(of: pin)?.reason == "STORAGE")
        #expect(try stage.life.vault.pin(of: PutBackStage.owner)?.tries == 0)
      }
      try stage.change()
      try stage.putBack("beside", as: stage.beside)
      #expect(await stage.left() == "5")
      #expect(try stage.findings == ["older"] && stage.life.counter.isKept)
      #expect(await stage.refusal(of: PutBackStage.pin) == nil)
    }
  }

  @Test("the right PIN costs no try while the slot cannot be written")
  func unwritable() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      await stage.tryInVain(1)
      let slot = "\(stage.beside)/pin-\(PutBackStage.owner)"
      _ = try TestProgram.run(["mv", slot, slot + "-aside"])
      _ = try TestProgram.run(["mkdir", slot])
      for _ in 0..<12 {
        stage.clock.pass(.seconds(60))
        #expect(await stage.refusal(of: PutBackStage.pin)?.reason == "STORAGE")
      }
      _ = try TestProgram.run(["rmdir", slot])
      _ = try TestProgram.run(["mv", slot + "-aside", slot])
      stage.clock.pass(.seconds(60))
      #expect(await stage.left() == "8")
      #expect(await stage.refusal(of: PutBackStage.pin) == nil)
    }
  }

  @Test(
    "a PIN is disabled if its slot is missing, malformed or another owner's",
    arguments: ["gone", "nonsense", "another's"]
  )
  func slots(_ damage: String) async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try await stage.set(owner: PutBackStage.neighbour)
      let slot = "\(stage.beside)/pin-\(PutBackStage.owner)"
      try stage.restart {
        switch damage {
        case "gone": _ = try TestProgram.run(["rm", slot])
        case "nonsense": try AtomicFile.write(Array("nonsense\n".utf8), to: slot)
        default: _ = try TestProgram.run(["cp", "\(stage.beside)/pin-\(PutBackStage.neighbour)", slot])
        }
      }
      #expect(try stage.life.lock.state(of: PutBackStage.owner) == .disabled)
      #expect(await stage.refusal(of: PutBackStage.pin)?.reason == "PIN_DISABLED")
      #expect(await stage.left(owner: PutBackStage.neighbour) == "9")
      if damage == "gone" {
        // A missing slot does not change the stored tries.
        #expect(try stage.life.vault.pin(of: PutBackStage.owner)?.tries == 0)
      }
      // The slot ends with the owner, and after erasure a new PIN has ten tries.
      try await stage.life.owners.erase(PutBackStage.owner)
      #expect(access(slot, F_OK) != 0)
      try await stage.set()
      try stage.restart()
      #expect(await stage.left() == "9")
    }
  }

  @Test("a slot that is one change behind after a crash is accepted")
  func crashing() async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try await stage.set()
      try stage.restart { try stage.copy(stage.beside, as: "behind") }
      await stage.tryInVain(2)
      try stage.restart { try stage.putBack("behind", as: stage.beside) }
      #expect(await stage.left() == "7")

      // A crash between storing a first PIN and writing its slot.
      let (start, neighbour) = (try stage.life, PutBackStage.neighbour)
      let version = try start.lock.tries.prepare(for: neighbour)
      try start.owners.enter(neighbour)
      try start.vault.setPIN(salt: [1], of: neighbour, after: version)
      #expect(try start.lock.state(of: neighbour) == .locked)
      try start.vault.setTries(0, of: neighbour)
      #expect(try start.lock.state(of: neighbour) == .disabled, "no crash leaves two changes")
    }
  }
}
