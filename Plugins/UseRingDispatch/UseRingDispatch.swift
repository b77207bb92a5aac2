import Foundation
import PackagePlugin

/// Gives a target RingDispatch's types under GCD's names, in every file, with no source edited.
///
/// The names are public, and RingDispatch is re-exported, so that public signatures may use them.
/// `UseRingDispatchInternally` keeps them inside the target.
@main
struct UseRingDispatch: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let file = context.pluginWorkDirectoryURL.appending(path: "RingDispatchNames.swift")
        return [
            .buildCommand(
                displayName: "Giving \(target.name) the names of RingDispatch",
                executable: try context.tool(named: "generate-dispatch-names").url,
                arguments: ["public", file.path], outputFiles: [file])
        ]
    }
}
