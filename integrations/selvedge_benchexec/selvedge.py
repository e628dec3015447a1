"""Tool-info module of Selvedge for BenchExec.

The tool is `selvedge_benchexec.selvedge` (`<benchmark tool="selvedge_benchexec.selvedge">`), with the
directory above this one on PYTHONPATH and the command on PATH or in --tool-directory.
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import UnsupportedFeatureException
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# The last line of the output, by the word of the property that is violated.
FALSE = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "no-data-race": result.RESULT_FALSE_DATARACE,
    "no-deadlock": result.RESULT_FALSE_DEADLOCK,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
    "termination": result.RESULT_FALSE_TERMINATION,
}


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("selvedge")

    def name(self):
        return "Selvedge"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="selvedge")

    def cmdline(self, executable, options, task, rlimits):
        if get_data_model_from_task(task, {ILP32: "32", LP64: "64"}) == "32":
            raise UnsupportedFeatureException("Selvedge checks programs for x86-64 (LP64)")
        command = [executable, "check", "--finding", "none", "--progress", "never"]
        if task.property_file:
            command += ["--property", task.property_file]
        # Its own limits are a little lower than those of the run, so that it says what it has found.
        if rlimits.cputime:
            command += ["--max-time", f"{max(1, int(rlimits.cputime * 0.95))}s", "--jobs", "1"]
        if rlimits.memory:
            command += ["--max-memory", f"{max(100, int(rlimits.memory * 0.9) >> 20)}M"]
        return command + options + list(task.input_files_or_identifier)

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        lines = [line.strip() for line in run.output if line.strip()]
        last = lines[-1] if lines else ""
        code = run.exit_code.value
        if code == 0 and last == "true":
            return result.RESULT_TRUE_PROP
        if code == 10 and last.startswith("false(") and last.endswith(")"):
            word = last[len("false(") : -1]
            return FALSE.get(word, f"{result.RESULT_FALSE_PROP}({word})")
        if code == 5 and last.startswith("unknown("):
            reason = last[len("unknown(") :].split(":")[0].rstrip(")")
            return f"{result.RESULT_UNKNOWN} ({reason})"
        return result.RESULT_ERROR
