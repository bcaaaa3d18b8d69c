import DefaultTheme from 'vitepress/theme';
import './holdfast.css';

export default DefaultTheme;
