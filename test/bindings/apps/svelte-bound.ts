import { mount } from "svelte"
import Page from "./svelte/bound.svelte"

mount(Page, { target: document.getElementById("root")! })
