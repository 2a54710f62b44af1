"""One trial of `browser_use.Agent`: reports its steps as turns, within the trial's limits."""

import asyncio
import json
from typing import Any, Protocol

import anthropic
from browser_use import Agent, BrowserSession, ChatAnthropic
from browser_use.agent.views import ActionModel, ActionResult, AgentOutput
from browser_use.browser.events import NavigateToUrlEvent, SwitchTabEvent
from browser_use.browser.views import BrowserStateSummary
from browser_use.browser.watchdogs.aboutblank_watchdog import AboutBlankWatchdog
from browser_use.dom.views import EnhancedDOMTreeNode

End = dict[str, Any]


class Write(Protocol):
    def __call__(self, **line: Any) -> None: ...


async def play(task: dict[str, Any], model: str, price: dict[str, Any] | None, write: Write) -> End:
    """Returns how the trial ended, as the fields of an `end` line."""
    return await Trial(task, price, write).run(model)


def api_error(reason: str) -> End:
    return {"status": "error", "errorKind": "agent_api", "reason": reason}


class Trial:
    def __init__(self, task: dict[str, Any], price: dict[str, Any] | None, write: Write) -> None:
        self.task = task
        self.price = price
        self.write = write
        self.cost = 0.0
        self.api_problem: str | None = None
        self.titles: list[str] | None = None
        self.session = Session(  # type: ignore
            cdp_url=task["cdp"]["url"],
            allowed_domains=task["allowedDomains"],
            auto_download_pdfs=False,
            captcha_solver=False,
            enable_default_extensions=False,
            headless=False,  # otherwise it would change the trial's viewport
            no_viewport=True,
            highlight_elements=False,  # it would draw on the page
            permissions=[],  # those of the trial's context stay as they are
        )

    async def run(self, model: str) -> End:
        # It would draw on empty tabs, with a picture from its makers' site.
        AboutBlankWatchdog._show_dvd_screensaver_on_about_blank_tabs = do_nothing  # type: ignore
        await self.session.start()
        await self.session.event_bus.dispatch(SwitchTabEvent(target_id=self.task["cdp"]["targetId"]))
        self.write(type="dialogs", answeredBy="program")  # browser-use says yes to them
        self.agent: Agent[None, Any] = Agent(
            task=goal_of(self.task),
            llm=Model(model=model, max_retries=4, trial=self),
            browser_session=self.session,
            sensitive_data=self.task["secrets"] or None,
            directly_open_url=False,  # the page is there
            enable_signal_handler=False,
            use_judge=False,
            register_new_step_callback=self.begin_turn,
            register_should_stop_callback=self.is_over_budget,
        )
        await self.agent.run(max_steps=self.task["maxSteps"], on_step_end=self.end_turn)
        return self.end()

    async def is_over_budget(self) -> bool:
        cap = self.task["maxCostUsd"]
        return cap is not None and self.cost >= cap

    async def begin_turn(self, page: BrowserStateSummary, answer: AgentOutput, _step: int) -> None:
        """Reports an answer before it is performed."""
        elements = page.dom_state.selector_map
        self.titles = [title_of(action, elements) for action in answer.action]
        self.write(type="turn", title="; ".join(self.titles))
        for text in (answer.thinking, answer.next_goal):
            if text:
                self.write(type="narration", text=text)

    async def end_turn(self, agent: Agent) -> None:
        results = agent.state.last_result or []
        if self.titles is None and results and not self.api_problem:
            # The model's answer was unusable.
            self.titles = ["no action"]
            self.write(type="turn", title="no action")
        for title, result in zip(self.titles or [], results, strict=False):
            self.write(type="action", title=title, **outcome_of(result))
        if self.titles is not None:
            self.activate_focus()
            self.write(type="turn_end")
        self.titles = None

    def activate_focus(self) -> None:
        """The trial activates tabs that a site opens: if there are several, this names the right one."""
        tabs = [target.target_id for target in self.session.session_manager.get_all_page_targets()]
        if len(tabs) > 1 and self.session.agent_focus_target_id in tabs:
            self.write(type="activate", targetId=self.session.agent_focus_target_id)

    def count(self, usage: anthropic.types.Usage) -> None:
        """Reports the tokens of one request."""
        self.api_problem = None
        tokens = {
            "inputTokens": usage.input_tokens,
            "outputTokens": usage.output_tokens,
            "cacheReadTokens": usage.cache_read_input_tokens or 0,
            "cacheCreationTokens": usage.cache_creation_input_tokens or 0,
        }
        cost = None if self.price is None else cost_of(self.price, tokens)
        self.cost += cost or 0
        self.write(type="usage", **tokens, costUsd=cost)

    def end(self) -> End:
        history, steps = self.agent.history, self.task["maxSteps"]
        if self.api_problem:
            return api_error(self.api_problem)
        if history.is_successful():
            return {"status": "completed", "answer": history.final_result() or ""}
        out_of_steps = self.agent.state.n_steps > steps
        if out_of_steps or (self.task["maxCostUsd"] is not None and self.cost >= self.task["maxCostUsd"]):
            # One turn too many ends the trial at this limit, whatever comes after.
            self.write(type="turn", title="go on")
        errors = [error for error in history.errors() if error]
        reason = history.final_result() or (errors or ["it stopped"])[-1]
        return {"status": "gave_up", "reason": reason}


class Session(BrowserSession):
    """Refuses other domains before it opens them. browser-use does so afterwards, and empties the page."""

    async def on_NavigateToUrlEvent(self, event: NavigateToUrlEvent) -> None:
        if not self._security_watchdog._is_url_allowed(event.url):  # type: ignore
            raise ValueError(f"{event.url} is not in the allowed domains")
        await super().on_NavigateToUrlEvent(event)


class Model(ChatAnthropic):
    """Claude. Reports the tokens of each request, and remembers failures of the API."""

    def __init__(self, trial: Trial, **options: Any) -> None:
        super().__init__(**options)
        self.trial = trial

    async def _create_message(self, **params: Any) -> Any:
        self.trial.write(type="waiting")
        try:
            response = await super()._create_message(**params)
        except anthropic.APIError as error:
            # The client has retried already, so browser-use must not.
            self.trial.api_problem = f"{self.name}: {error}"
            self.trial.agent.stop()
            raise
        except asyncio.CancelledError:
            self.trial.api_problem = f"{self.name}: no answer in time"
            raise
        finally:
            self.trial.write(type="waiting_end")
        self.trial.count(response.usage)
        return response

    def _requires_auto_tool_choice(self) -> bool:
        # The 5.5 models refuse to be forced to use a tool.
        return "-5-5" in self.name or super()._requires_auto_tool_choice()


def goal_of(task: dict[str, Any]) -> str:
    """With what is said of an answer that will be checked."""
    wanted = task.get("wantsAnswer", False)
    if wanted is False:
        return task["goal"]
    form = (
        "the answer alone, as short as possible, not in a sentence"
        if wanted is True
        else f"JSON alone that fits this schema: {json.dumps(wanted)}"
    )
    return f"{task['goal']}\n\nThe text that you end with will be checked: {form}."


async def do_nothing(_self: AboutBlankWatchdog) -> None:
    pass


def cost_of(price: dict[str, Any], tokens: dict[str, int]) -> float:
    """US dollars."""
    prompt = tokens["inputTokens"] + tokens["cacheReadTokens"] + tokens["cacheCreationTokens"]
    above = price.get("above")
    if above and prompt > above["tokens"]:
        return cost_of(above["prices"], tokens)
    millionths = (
        tokens["inputTokens"] * price["input"]
        + tokens["outputTokens"] * price["output"]
        + tokens["cacheReadTokens"] * price.get("cacheRead", price["input"] * 0.1)
        + tokens["cacheCreationTokens"] * price.get("cacheWrite", price["input"] * 1.25)
    )
    return millionths / 1_000_000


def title_of(action: ActionModel, elements: dict[int, EnhancedDOMTreeNode]) -> str:
    """`click button "Go"`, `input textbox "Name", text "mira"`."""
    for name, given in action.model_dump(exclude_unset=True, mode="json").items():
        params = dict(given or {})
        element = elements.get(params.pop("index", None))
        words = [name.replace("_", " "), *([name_of(element)] if element else [])]
        rest = [f"{key} {json.dumps(value)}" for key, value in params.items()]
        return ", ".join([" ".join(words), *rest])
    return "no action"


def name_of(element: EnhancedDOMTreeNode) -> str:
    accessible = element.ax_node
    role = (accessible and accessible.role) or element.node_name.lower()
    return f"{role} {json.dumps((accessible and accessible.name) or element.get_all_children_text())}"


def outcome_of(result: ActionResult) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if result.error:
        fields["error"] = result.error
    if result.metadata and "click_x" in result.metadata:
        fields["point"] = {"x": result.metadata["click_x"], "y": result.metadata["click_y"]}
    said = result.extracted_content or result.long_term_memory
    if said:
        fields["detail"] = {"result": said}
    return fields
